// The module of planted violations: a directory is a case, and what is to be
// found stands in a comment where it is.
module planted

go 1.26

require (
	example.org/dep v0.0.0
	golang.org/x/sync v0.0.0
)

replace example.org/dep => ./dep

replace golang.org/x/sync => ./sync

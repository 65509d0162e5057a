// A stand-in of the module whose errgroup starts goroutines.
module golang.org/x/sync

go 1.26

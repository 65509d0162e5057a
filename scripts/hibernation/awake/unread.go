package awake

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// unread finds what the build leaves out of a package, and what links past it.
func (w *walk) unread(pkg *packages.Package) {
	here := func(what, at, does string) {
		w.findings = append(w.findings, Finding{
			What: what, Does: does, In: pkg.PkgPath, At: at, Chain: append(slices.Clip(w.pulled[pkg]), what),
		})
	}
	for _, files := range [][]string{pkg.IgnoredFiles, pkg.OtherFiles} {
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				here(WhatUnread, w.path(file)+":1", "is not read by this check")
			}
		}
	}
	for _, file := range pkg.Syntax {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:linkname ") {
					here(WhatLinkname, w.place(c.Pos()), "goes past every rule of packages")
				}
			}
		}
	}
}

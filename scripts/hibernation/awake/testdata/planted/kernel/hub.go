// Package kernel goes below the standard library, and past it.
package kernel

import (
	"syscall"
	_ "unsafe"
)

// want below linkname
//
//go:linkname sleep time.Sleep
func sleep(ns int64) // want time.Sleep

// Run is a hub's code.
func Run() (int, error) {
	sleep(1)
	return syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0) // want syscall.Socket
}

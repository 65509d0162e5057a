// Package feed is a helper.
package feed

import (
	"net"
	"os/exec"
)

// Ping dials.
func Ping(host string) error {
	c, err := net.Dial("tcp", host) // want net.Dial
	if err != nil {
		return err
	}
	defer c.Close()
	return exec.Command("ping", host).Run() // want (*os/exec.Cmd).Run
}

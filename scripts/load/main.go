// Command load puts a running shop under load over HTTP and prints what it
// did, a row a scenario; a row with a budget ends in "ok" or "OVER".
//
// Without -url it starts bin/pocbakery itself, on free ports and with a data
// directory of its own; the memory row needs that, or -pid. The exit code is 1
// when an answer was wrong: too many places given, a request that was neither
// done nor refused. Slowness is printed, not failed.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"runtime"

	"pocbakery/scripts/internal/drive"
)

func main() {
	base := flag.String("url", "", "a running shop, such as http://127.0.0.1:8080; none starts one")
	admin := flag.String("admin", "127.0.0.1:8081", "its admin port, with -url")
	pid := flag.Int("pid", 0, "its process, with -url, for the memory row")
	program := flag.String("program", "bin/pocbakery", "what to start without -url")
	clients := flag.Int("clients", 32, "connections that ask at the same time")
	procs := flag.Int("procs", 1, "cores the client may use; it shares them with the server")
	flag.Parse()
	runtime.GOMAXPROCS(*procs)

	t := &drive.Table{Heads: drive.LoadHeads}
	err := run(*base, *admin, *pid, *program, *clients, t)
	t.Print(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(base, admin string, pid int, program string, clients int, t *drive.Table) error {
	if base != "" {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" {
			return fmt.Errorf("%q is no address", base)
		}
		s := &drive.Server{Addr: u.Host, Admin: admin, Pid: pid}
		if err := s.Open(); err != nil {
			return err
		}
		if _, err := drive.RunLoad(s, clients, t); err != nil || pid == 0 {
			return err
		}
		return drive.RunLive(s, t)
	}
	for _, scenario := range []func(*drive.Server) error{
		func(s *drive.Server) error { _, err := drive.RunLoad(s, clients, t); return err },
		func(s *drive.Server) error { return drive.RunLive(s, t) },
	} {
		if err := drive.Fresh(program, scenario); err != nil {
			return err
		}
	}
	return nil
}

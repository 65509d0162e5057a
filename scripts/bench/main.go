// Command bench prints one table of the product's budgets: what an operation
// costs the table and the scheduler, counted over HTTP on a freshly started
// bin/pocbakery, and then what it carries under load. Each row with a budget
// ends in "ok" or "OVER"; one without is there to be known.
//
// Units are counted by DynamoDB's public rules whatever table is underneath: a
// read unit is 4 KB read strongly, a write unit 1 KB, twice that in a
// transaction. Requests and units are exact and the same on every machine;
// the load's figures are of this one.
//
// The exit code is 1 when an answer was wrong, not when a row is over.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"

	"pocbakery/scripts/internal/drive"
)

func main() {
	program := flag.String("program", "bin/pocbakery", "what to start")
	clients := flag.Int("clients", 32, "connections of the load")
	load := flag.Bool("load", true, "run the load as well")
	flag.Parse()
	runtime.GOMAXPROCS(1) // the server shares the cores

	costs := &sheet{Table: drive.Table{Heads: []string{"operation", "reads", "writes", "RU", "WU", "calls", "budget", ""}}}
	loads := &drive.Table{Heads: drive.LoadHeads}
	err := run(*program, *clients, *load, costs, loads)
	costs.Print(os.Stdout)
	if *load {
		fmt.Println()
		loads.Print(os.Stdout)
	}
	fmt.Printf("\n%d rows over their budget\n", costs.Over()+loads.Over())
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(program string, clients int, load bool, costs *sheet, loads *drive.Table) error {
	for _, part := range []func(*drive.Server) error{costs.visit, costs.alarm} {
		if err := drive.Fresh(program, part); err != nil {
			return err
		}
	}
	if !load {
		return nil
	}
	err := drive.Fresh(program, func(s *drive.Server) error {
		g, err := drive.RunLoad(s, clients, loads)
		if err != nil {
			return err
		}
		return costs.full(s, g)
	})
	if err != nil {
		return err
	}
	return drive.Fresh(program, func(s *drive.Server) error { return drive.RunLive(s, loads) })
}

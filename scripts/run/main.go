// Command run is the bakery on one machine: the program that Lambda runs, over
// a file instead of DynamoDB and a clock of its own instead of EventBridge
// Scheduler.
//
// PORT (8080) is where it listens, ADMIN_PORT (8081) where its admin port does,
// on loopback only, and DATA_DIR (.data) where it keeps everything.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func main() {
	// Little is kept in memory and much passes through it: collecting garbage
	// at five times what is kept instead of twice gives a tenth of the
	// processor back, for some tens of megabytes.
	debug.SetGCPercent(400)
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, log); err != nil {
		log.Error("stopped", "error", err.Error())
		os.Exit(1)
	}
}

// stopWithin is how long requests under way get to end when the program stops.
const stopWithin = 12 * time.Second

func run(ctx context.Context, log *slog.Logger) error {
	shop, err := listen("PORT", "8080")
	if err != nil {
		return err
	}
	admin, err := listen("ADMIN_PORT", "8081")
	if err != nil {
		return errors.Join(err, shop.Close())
	}
	b, err := open(cmp.Or(os.Getenv("DATA_DIR"), ".data"), fmt.Sprintf("http://localhost:%d", port(shop)), log)
	if err != nil {
		return errors.Join(err, shop.Close(), admin.Close())
	}
	defer b.close()
	servers := []*http.Server{serverOf(b.handler(), log), serverOf(b.admin.Handler(), log), serverOf(b.siteverify, log), serverOf(b.google.Handler(), log), serverOf(b.provider.Handler(), log)}
	// A move of the wall clock may run a day's worth of ends before it answers.
	servers[1].ReadTimeout, servers[1].WriteTimeout = 0, 0

	fmt.Printf("The bakery is open at http://localhost:%d (admin port %d).\n", port(shop), port(admin))
	looping, endLoop := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	all.Go(func() { b.loop.Run(looping) })
	failed := make(chan error, len(servers))
	for i, l := range []net.Listener{shop, admin, b.siteverifyListener, b.googleListener, b.providerListener} {
		all.Go(func() {
			if err := servers[i].Serve(l); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		})
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	for _, s := range servers {
		err = errors.Join(err, s.Shutdown(ending))
	}
	b.sockets.Shutdown()
	endLoop()
	all.Wait()
	return err
}

// listen listens on the port that a variable names, on this machine only:
// clients are on any loopback address.
func listen(variable, usual string) (net.Listener, error) {
	port := cmp.Or(os.Getenv(variable), usual)
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("%s is %q, and a port is a number from 0 to 65535", variable, port)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("localhost", port))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return l, nil
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// serverOf bounds what a slow or a greedy client can hold.
func serverOf(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 15 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(quiet{log.Handler()}, slog.LevelWarn),
	}
}

// quiet passes on that something went wrong with a connection, not with whose:
// net/http's own messages carry addresses.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	return q.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "connection_failed", r.PC))
}

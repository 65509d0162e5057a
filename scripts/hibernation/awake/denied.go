package awake

import (
	"go/types"

	"golang.org/x/tools/go/packages"
)

// denied are the functions and methods that a hub may not reach, each with
// what it does. A name that ends in * is all methods of a type. Only what is
// the root of such behaviour need stand here: what calls it is found by the
// walk. What stands here besides is for a finding to name the call that was
// written, not one ten packages below it.
var denied = map[string]string{
	"time.Sleep":           "waits",
	"time.After":           "starts a timer",
	"time.AfterFunc":       "starts a timer",
	"time.NewTimer":        "starts a timer",
	"(*time.Timer).Reset":  "starts a timer",
	"time.Tick":            "ticks",
	"time.NewTicker":       "ticks",
	"(*time.Ticker).Reset": "ticks",

	"context.WithTimeout":       "starts a timer",
	"context.WithTimeoutCause":  "starts a timer",
	"context.WithDeadline":      "starts a timer",
	"context.WithDeadlineCause": "starts a timer",

	"context.AfterFunc":                         "starts a goroutine",
	"(*sync.WaitGroup).Go":                      "starts a goroutine",
	"os/signal.Notify":                          "starts a goroutine",
	"os/signal.NotifyContext":                   "starts a goroutine",
	"(*golang.org/x/sync/errgroup.Group).Go":    "starts a goroutine",
	"(*golang.org/x/sync/errgroup.Group).TryGo": "starts a goroutine",

	"runtime.SetFinalizer": "leaves work to the collector's goroutine",
	"runtime.AddCleanup":   "leaves work to the collector's goroutine",

	"os.StartProcess":  "starts a process",
	"(*os/exec.Cmd).*": "starts a process",

	"net.Dial":                             "dials",
	"net.DialIP":                           "dials",
	"net.DialTCP":                          "dials",
	"net.DialTimeout":                      "dials",
	"net.DialUDP":                          "dials",
	"net.DialUnix":                         "dials",
	"(*net.Dialer).*":                      "dials",
	"(*net.Resolver).*":                    "dials",
	"net.LookupAddr":                       "dials",
	"net.LookupCNAME":                      "dials",
	"net.LookupHost":                       "dials",
	"net.LookupIP":                         "dials",
	"net.LookupMX":                         "dials",
	"net.LookupNS":                         "dials",
	"net.LookupSRV":                        "dials",
	"net.LookupTXT":                        "dials",
	"net.ResolveIPAddr":                    "dials",
	"net.ResolveTCPAddr":                   "dials",
	"net.ResolveUDPAddr":                   "dials",
	"crypto/tls.Dial":                      "dials",
	"crypto/tls.DialWithDialer":            "dials",
	"(*crypto/tls.Dialer).*":               "dials",
	"net/http.Get":                         "dials",
	"net/http.Head":                        "dials",
	"net/http.Post":                        "dials",
	"net/http.PostForm":                    "dials",
	"(*net/http.Client).Do":                "dials",
	"(*net/http.Client).Get":               "dials",
	"(*net/http.Client).Head":              "dials",
	"(*net/http.Client).Post":              "dials",
	"(*net/http.Client).PostForm":          "dials",
	"(*net/http.Transport).RoundTrip":      "dials",
	"database/sql.Open":                    "holds connections",
	"database/sql.OpenDB":                  "holds connections",
	"net.Listen":                           "listens",
	"net.ListenIP":                         "listens",
	"net.ListenMulticastUDP":               "listens",
	"net.ListenPacket":                     "listens",
	"net.ListenTCP":                        "listens",
	"net.ListenUDP":                        "listens",
	"net.ListenUnix":                       "listens",
	"net.ListenUnixgram":                   "listens",
	"(*net.ListenConfig).*":                "listens",
	"crypto/tls.Listen":                    "listens",
	"net/http.ListenAndServe":              "listens",
	"net/http.ListenAndServeTLS":           "listens",
	"net/http.Serve":                       "listens",
	"net/http.ServeTLS":                    "listens",
	"(*net/http.Server).ListenAndServe":    "listens",
	"(*net/http.Server).ListenAndServeTLS": "listens",
	"(*net/http.Server).Serve":             "listens",
	"(*net/http.Server).ServeTLS":          "listens",
}

// systemCalls are what the functions above come down to. The standard library
// makes them everywhere, to read a file as to dial, so there the functions
// above stand for them; in packages of others a mention is a finding. A name
// that ends in .* is a whole package.
var systemCalls = map[string]string{
	"golang.org/x/sys/unix.*": "calls the kernel itself",
	"syscall.Connect":         "dials",
	"syscall.EpollWait":       "waits",
	"syscall.ForkExec":        "starts a process",
	"syscall.Listen":          "listens",
	"syscall.Nanosleep":       "waits",
	"syscall.Pause":           "waits",
	"syscall.RawSyscall":      "calls the kernel itself",
	"syscall.RawSyscall6":     "calls the kernel itself",
	"syscall.Select":          "waits",
	"syscall.Socket":          "dials",
	"syscall.StartProcess":    "starts a process",
	"syscall.Syscall":         "calls the kernel itself",
	"syscall.Syscall6":        "calls the kernel itself",
}

// holders are the types that hold what a hub must not have. Mentioned in the
// main module they are findings by themselves: who has one passed in needs to
// call none of the functions above to keep it. In packages of others a mention
// does nothing, since what could start one is found.
var holders = map[string]string{
	"time.Timer":         "is a timer",
	"time.Ticker":        "is a timer",
	"net.Conn":           "is a connection",
	"net.TCPConn":        "is a connection",
	"net.UDPConn":        "is a connection",
	"net.UnixConn":       "is a connection",
	"net.IPConn":         "is a connection",
	"net.PacketConn":     "is a connection",
	"net.Dialer":         "dials",
	"net.Resolver":       "dials",
	"net.Listener":       "listens",
	"crypto/tls.Conn":    "is a connection",
	"crypto/tls.Dialer":  "dials",
	"net/http.Client":    "dials",
	"net/http.Transport": "dials",
	"net/http.Server":    "listens",
	"database/sql.DB":    "holds connections",
	"os/exec.Cmd":        "starts a process",
}

// does says what an object does that the package may not mention, or nothing.
func does(pkg *packages.Package, obj types.Object) string {
	name := symbol(obj)
	switch obj.(type) {
	case *types.Func:
		if what := denied[name]; what != "" {
			return what
		}
		if what := denied[family(obj)]; what != "" {
			return what
		}
		if pkg.Module == nil || obj.Pkg() == nil {
			return ""
		}
		if what := systemCalls[name]; what != "" {
			return what
		}
		return systemCalls[obj.Pkg().Path()+".*"]
	case *types.TypeName:
		if ours(pkg) {
			return holders[name]
		}
	}
	return ""
}

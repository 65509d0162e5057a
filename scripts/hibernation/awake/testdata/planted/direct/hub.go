// Package direct waits by itself.
package direct

import (
	"context"
	"runtime"
	"time"
)

// Run is a hub's code.
func Run(ctx context.Context, f func()) error {
	time.Sleep(time.Second)             // want time.Sleep
	<-time.After(time.Second)           // want time.After
	time.AfterFunc(time.Second, f)      // want time.AfterFunc
	<-time.NewTimer(time.Second).C      // want time.NewTimer
	<-time.NewTicker(time.Second).C     // want time.NewTicker
	<-time.Tick(time.Second)            // want time.Tick
	runtime.SetFinalizer(new(int), nil) // want runtime.SetFinalizer
	context.AfterFunc(ctx, f)           // want context.AfterFunc
	return nil
}

func soon(ctx context.Context, end time.Time) {
	_, stop := context.WithTimeout(ctx, time.Second) // want context.WithTimeout
	defer stop()
	_, stop = context.WithDeadline(ctx, end) // want context.WithDeadline
	stop()
}

var _ = soon

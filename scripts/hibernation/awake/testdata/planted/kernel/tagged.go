// want unread-file

//go:build tagged

package kernel

import "time"

func wait() { time.Sleep(1) }

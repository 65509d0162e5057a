// Package clock is of others.
package clock

import "time"

// Alarm is a timer by another name.
type Alarm = time.Timer

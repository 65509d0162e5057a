// Package starting imports what goes on by itself.
package starting

import _ "example.org/dep/heartbeat"

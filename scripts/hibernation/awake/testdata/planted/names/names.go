// Package names imports what no case does, so that the names in the tables can
// be looked up.
package names

import (
	_ "crypto/tls"
	_ "database/sql"
	_ "os/signal"
)

// Package dial holds connections.
package dial

import (
	"net/http"

	"planted/dial/feed"
)

// Run is a hub's code.
func Run(c *http.Client, url string) error { // want net/http.Client
	r, err := c.Get(url) // want (*net/http.Client).Get
	if err != nil {
		return err
	}
	defer r.Body.Close()
	return feed.Ping(url)
}

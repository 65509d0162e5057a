package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"pocbakery/pkg/app"
	"pocbakery/pkg/local"
)

// withProvider is a house in which people sign in at the stand-in.
func withProvider(t *testing.T) *house {
	t.Helper()
	var provider http.Handler
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { provider.ServeHTTP(w, r) }))
	t.Cleanup(at.Close)
	client := local.ProviderClient(at.Listener.Addr().String())
	t.Cleanup(client.CloseIdleConnections)
	return newHouse(t, func(c *app.Config) {
		p, err := local.NewProvider(at.URL, c.Clock)
		if err != nil {
			t.Fatal(err)
		}
		provider = p.Handler()
		c.SignIn = &app.SignIn{Issuer: local.Issuer, ClientID: local.ClientID, ClientSecret: local.ClientSecret, Client: client}
	})
}

func TestJourneySomebodySignsInEntersAndSignsOut(t *testing.T) {
	h := withProvider(t)
	g := atBrowser(t, h.opens(), true)
	g.goes("/sign-in")
	g.sees("with an account of your own")
	g.does(chromedp.Click(`//a[text()="Sign in"]`))
	g.sees("Who are you?", "stands in for the provider")
	// By script: the browser has just changed to another site, and may yet count
	// the page's nodes anew.
	learns(g, chromedp.Evaluate[any](`document.querySelector("#as-anna").click()`))
	g.sees("Continue as Anna Ek", "You have signed in.")
	g.goes("/sign-in") // which waits until the way back is done
	g.presses("Continue as Anna Ek")
	g.sees("Order for pickup", "The next free time is 09:45, with 6 places.")
	g.goes("/sign-in")
	g.presses("Sign out")
	g.sees("with an account of your own", "Continue as a guest")
	g.goes("/shop")
	g.sees("Come in")
}

func TestASignInThatIsNoAnswerToOursIsAPage(t *testing.T) {
	v := &visitor{house: withProvider(t)}
	v.get("/v1/login/callback?code=x&state=y").is(400).says("Signing in did not work", "Sign in again.")
}

func TestWhereNobodyCanSignInNobodyIsAskedTo(t *testing.T) {
	v := &visitor{house: newHouse(t)}
	v.get("/sign-in").is(200).saysNot("/v1/login", "Sign out")
	v.post("/sign-in", comesIn("account", v.get("/sign-in").key("/sign-in"))).is(401)
}

package main

import (
	"net"
	"os"
	"strconv"
	"time"

	"pocbakery/pkg/app"
	"pocbakery/pkg/local"
)

// signIn is the provider at which people sign in: the one that OIDC_ISSUER,
// OIDC_CLIENT_ID and OIDC_CLIENT_SECRET name (and ORIGIN, where browsers reach
// the bakery otherwise than at this machine), or else the stand-in.
func (b *bakery) signIn(clock func() time.Time) (*app.SignIn, error) {
	var err error
	if b.providerListener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	address := b.providerListener.Addr().String()
	if b.provider, err = local.NewProvider("http://localhost:"+strconv.Itoa(port(b.providerListener)), clock); err != nil {
		return nil, err
	}
	if issuer := os.Getenv("OIDC_ISSUER"); issuer != "" {
		return &app.SignIn{Issuer: issuer, ClientID: os.Getenv("OIDC_CLIENT_ID"), ClientSecret: os.Getenv("OIDC_CLIENT_SECRET"), Origin: os.Getenv("ORIGIN")}, nil
	}
	return &app.SignIn{
		Issuer: local.Issuer, ClientID: local.ClientID, ClientSecret: local.ClientSecret,
		Origin: os.Getenv("ORIGIN"), Client: local.ProviderClient(address),
	}, nil
}

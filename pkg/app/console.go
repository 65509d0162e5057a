package app

import (
	"pocbakery/pkg/access"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/web"
)

// loans are a hub's: the engine knows the ends, the shop whose they are.
type loans struct {
	*hub.Engine
	*bakery.Shop
}

// console is what the bakers' page stands on.
func (a *App) console(c Config) web.Console {
	return web.Console{
		Loans: loans{a.Engine, a.Shop}, Traffic: a.Traffic, Tokens: access.NewTokens(a.Engine, a.ring, c.Random),
		SetCapacity: a.Shop.SetCapacity, Events: a.Shop.Events,
	}
}

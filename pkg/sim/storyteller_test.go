package sim

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/bakery"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/sandbox"
	"pocbakery/pkg/traffic"
)

// visit does what a visitor asks of a sandbox.
func (s *teller) visit(ctx context.Context, k *worker, v *visitor, f []string) (string, error) {
	arg := func(n int) string {
		if n < len(f) {
			return f[n]
		}
		return ""
	}
	slot := bakery.SlotID(arg(3))
	ref := s.orders[v.name+" "+arg(2)]
	switch f[0] {
	case "place":
		o, again, err := k.shop.Place(ctx, v.who(), arg(2), bakery.Placement{Pickup: slot, Lines: []bakery.Wanted{{SKU: "rye-loaf", Quantity: 1}}})
		if err != nil {
			return full(err), noFull(err)
		}
		s.orders[v.name+" "+arg(2)] = o.Ref()
		return s.shown(o, again), nil
	case "pay":
		p, o, again, err := k.shop.Pay(ctx, v.who(), ref, arg(3), bakery.Money{Amount: 7600, Currency: "SEK"})
		return fmt.Sprintf("%s; %s", p.State, s.shown(o, again)), err
	case "cancel":
		o, err := k.shop.Cancel(ctx, v.who(), ref)
		return s.shown(o, false), err
	case "order":
		o, err := k.shop.Order(ctx, v.who(), ref)
		return s.shown(o, false), err
	case "slot":
		i, err := k.shop.Slot(ctx, v.who(), bakery.SlotID(arg(2)))
		return fmt.Sprintf("%d held, %d confirmed, %d free", i.Held, i.Confirmed, i.Free()), err
	case "capacity":
		_, err := k.shop.SetCapacity(ctx, v.who(), bakery.SlotID(arg(2)), number(arg(3)), "")
		return "done", err
	case "advance":
		by, err := time.ParseDuration(arg(2))
		if err != nil {
			return "", err
		}
		var a sandbox.Advanced
		a, err = k.boxes.Advance(ctx, v.who(), by, "")
		return fmt.Sprintf("%s ahead, %d events", a.Offset, len(a.Events)), err
	case "slots": // of a date, in an hour of the shop's wall
		date, ok := bakery.ParseDate(arg(2))
		if !ok {
			return "", fmt.Errorf("%q is no date", arg(2))
		}
		days, err := k.shop.Days(ctx, v.who(), date, 1)
		if err != nil {
			return "", err
		}
		shown := []string{"none"}
		for _, i := range days[0].Slots {
			if local := s.w.hours.Local(i.ID); strings.HasPrefix(local, arg(3)+":") {
				shown = append(shown, fmt.Sprintf("%s at %s", i.ID, local))
			}
		}
		return strings.Join(shown[min(1, len(shown)-1):], ", "), nil
	case "traffic":
		t, err := s.traffic(ctx, k, v, f[2:])
		state := map[bool]string{true: "running", false: "idle"}[t.Running]
		return fmt.Sprintf("%s, %d minutes used, %d orders", state, t.UsedToday, t.Total().Placed), err
	case "wipe":
		return "done", k.boxes.Wipe(ctx, v.who())
	case "alarm":
		ran, err := k.engine.Run(ctx, alarm.Schedule{Hub: string(v.id)})
		return fmt.Sprintf("%d events", len(ran.Events)), err
	case "left":
		return fmt.Sprintf("%d items, %d one-shots", len(s.w.items(v.id)), len(s.w.bell.listed(string(v.id)))), nil
	}
	return "", fmt.Errorf("no command is called %q", f[0])
}

// shown is an order as a story shows it.
func (s *teller) shown(o bakery.OrderView, again bool) string {
	text := string(o.State)
	if left, ok := o.SecondsLeft(); ok {
		text += fmt.Sprintf(", held until %s, %d s left", at(o.HoldEnd), left)
	}
	if o.Revived {
		text += ", revived"
	}
	var releases int
	for _, e := range o.History {
		if e.Type == bakery.HoldReleased {
			releases++
		}
	}
	if releases > 0 {
		text += fmt.Sprintf(", released %d times", releases)
	}
	if again {
		text += ", as before"
	}
	return text
}

// full shows a refusal for want of room, of which a story wants to know more.
func full(err error) string {
	for _, code := range []refusal.Code{refusal.SlotFull, refusal.HoldLost} {
		if refusal.Is(err, code) {
			return string(code)
		}
	}
	return ""
}

func noFull(err error) error {
	if full(err) != "" {
		return nil
	}
	return err
}

// traffic starts so many minutes, stops them, or looks.
func (s *teller) traffic(ctx context.Context, k *worker, v *visitor, f []string) (traffic.Traffic, error) {
	switch {
	case len(f) == 0:
		return k.traffic.Read(ctx, v.who())
	case f[0] == "stop":
		return k.traffic.Stop(ctx, v.who())
	}
	return k.traffic.Start(ctx, v.who(), number(f[0]), 2)
}

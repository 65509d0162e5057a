package web

import "pocbakery/pkg/refusal"

// plainly is what a refusal is called on a visitor's page, where the words of
// its code are for who writes programs. What is empty here is said as it came.
var plainly = map[refusal.Code]refusal.Meaning{
	refusal.SandboxEnded:     {Title: "Your copy of the shop is over", Text: "Everything in it is gone. Start another whenever you like."},
	refusal.DayFull:          {Title: "No more copies of the shop today", Text: "The bakery lends a fixed number of copies a day, and today's are all lent."},
	refusal.GuestShareFull:   {Title: "No more copies of the shop for guests today", Text: "Today's copies for guests are all lent. A demo account may still have one."},
	refusal.DemoFull:         {Title: "No more copies of the shop for the demo accounts today", Text: "Today's copies for the demo accounts are all lent. A guest may still get one."},
	refusal.RateLimited:      {Title: "That was a lot in one minute", Text: "What can be asked for in a minute is bounded, so that nobody keeps the others waiting."},
	refusal.AccountLimit:     {Title: "No more copies of the shop for this account today", Text: "An account starts at most 3 copies a day. One that still stands can be used on."},
	refusal.AddressLimit:     {Title: "No more copies of the shop from here today", Text: "At most 10 copies a day are started from one address, and others may share yours."},
	refusal.HubFull:          {Title: "This copy of the shop takes no more orders", Text: "It has taken 3,000. They can be paid, cancelled and handed over, and a new copy is empty."},
	refusal.AdmissionsOff:    {Title: "The bakery is not lending copies of the shop now", Text: "This was switched off. There is no known time at which it is switched on again."},
	refusal.ReadOnly:         {Title: "Nothing can be changed now", Text: "Everything can be looked at. There is no known time at which things can be changed again."},
	refusal.KeyMissing:       {Title: "This form is not whole"},
	refusal.KeyInvalid:       {Title: "This form is not whole"},
	refusal.KeyReused:        {Title: "This form was sent before, with something else in it"},
	refusal.CrossOrigin:      {Title: "This form came from another site"},
	refusal.MalformedBody:    {Title: "This form could not be read"},
	refusal.UnsupportedMedia: {Title: "This form could not be read"},
	refusal.BodyTooLarge:     {Title: "This form is too large"},
	refusal.NoSuchSlot:       {Title: "There is no such pickup time", Text: "Choose one of those shown."},
	refusal.UnknownSKU:       {Title: "There is no such thing on the menu"},
	refusal.SoldOut:          {Title: "Something in the order is sold out", Text: "It is taken out of the order here. Place the order again to have the rest."},
	refusal.AmountMismatch:   {Text: "A payment is for exactly the order's total. Pay from this page."},
	refusal.TableUnavailable: {Text: "What you asked for may or may not have been done. Send it again from here: it is done once, whatever happened."},
	refusal.Internal:         {Text: "It has been noted. Sending it again from here is safe: it is done once."},

	refusal.TurnstileMissing:     {Text: "You were asked to show that you are a person, and did not, or the answer was not there yet. Do the check below, then choose again."},
	refusal.TurnstileFailed:      {Text: "Its answer was not good, was used before, or is older than 5 minutes. Do the check below once more, then choose again."},
	refusal.TurnstileUnavailable: {Text: "Whether you are a person could not be found out just now, and nothing was counted against you. Choose again in a moment."},
	refusal.Misconfigured:        {Text: "Something that this bakery cannot be open without is missing. Its operator has to put that right; there is nothing that you can do."},
}

// explained is what a refusal means, for who reads its card and wants to know
// more. Most say it all in their one sentence.
var explained = map[refusal.Code]string{
	refusal.SlotFull: "A pickup time has a fixed number of places. An order holds one for " + holdWords + " and keeps it when it is paid. " +
		"Unpaid, the place comes free for others by itself.",
	refusal.HoldLost: "An order holds its place for " + holdWords + ". Unpaid, the place comes free for others by itself, and who comes first has it.",
}

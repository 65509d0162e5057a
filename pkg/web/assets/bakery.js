// What every page starts. Each piece is one module that enhances what the
// server rendered; without this file all pages work as plain pages and forms.
import { ring } from "./ring.js";
import { countdown } from "./countdown.js";
import { slots } from "./slots.js";
import { days } from "./days.js";
import { basket } from "./basket.js";
import { clockline } from "./clockline.js";
import { busy } from "./busy.js";
import { card } from "./card.js";
import { follow } from "./follow.js";
import { fresh } from "./fresh.js";
import { feed } from "./feed.js";
import { onRenew } from "./renew.js";

const pieces = { ring, countdown, slots, days, basket, clockline, busy, card, follow, fresh, feed };

function start(root) {
  for (const el of [root, ...root.querySelectorAll("[data-piece]")]) pieces[el.dataset?.piece]?.(el);
}

onRenew(start);
start(document);

// The answer to a form stands at an address that going back to would send it
// again. Its page can be asked for instead.
const { here } = document.body.dataset;
if (here) history.replaceState(null, "", here);

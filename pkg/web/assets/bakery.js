// What every page starts. Each piece is one module that enhances what the
// server rendered; without this file all pages work as plain pages and forms.
import { ring } from "./ring.js";
import { countdown } from "./countdown.js";
import { slots } from "./slots.js";
import { days } from "./days.js";
import { basket } from "./basket.js";
import { clockline } from "./clockline.js";
import { busy } from "./busy.js";
import { onRenew } from "./renew.js";

const pieces = { ring, countdown, slots, days, basket, clockline, busy };

function start(root) {
  for (const el of root.querySelectorAll("[data-piece]")) pieces[el.dataset.piece]?.(el);
}

onRenew(start);
start(document);

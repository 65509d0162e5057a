// The slot chip: paid places whole, held ones half, free ones empty, and a number.
import { places } from "./words.js";

// Up to this many places each has its own cell; above, the bar is one length.
const cells = 12;
const length = 120;

function stretch(from, to, all, top) {
  if (to <= from) return "";
  if (all > cells) return `M${(length * from) / all} ${top}H${(length * to) / all}V8H${(length * from) / all}z`;
  let d = "";
  for (let i = from; i < to; i++) d += `M${10 * i} ${top}h8v${8 - top}h-8z`;
  return d;
}

export function draw(chip, slot) {
  const all = Math.max(slot.capacity, slot.taken);
  const bar = chip.querySelector("svg");
  bar.setAttribute("viewBox", `0 0 ${all > cells ? length : Math.max(8, 10 * all - 2)} 8`);
  bar.querySelector(".c").setAttribute("d", stretch(0, slot.confirmed, all, 0));
  bar.querySelector(".h").setAttribute("d", stretch(slot.confirmed, slot.taken, all, 4));
  bar.querySelector(".f").setAttribute("d", stretch(slot.taken, all, all, 7));
  chip.classList.toggle("is-full", slot.free === 0);
  chip.querySelector(".room").textContent = slot.free ? `${slot.free} free` : "full";
  const held = chip.querySelector(".held");
  held.textContent = slot.held ? `${slot.held} held` : "";
  held.hidden = !slot.held;
  chip.querySelector(".sold").textContent = slot.confirmed ? `${slot.confirmed} paid` : "";
}

export const next = (slot) => `The next free time is ${slot.local}, with ${places(slot.free)}.`;

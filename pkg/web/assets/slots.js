// The slots of a day, kept fresh: asked for every 5 seconds while the page is seen.
import { now } from "./clock.js";
import { draw, next } from "./chip.js";
import { say, over } from "./quiet.js";

const pause = 5000;

export function slots(el) {
  const line = el.querySelector("[data-next]");
  let timer = 0;

  function show(list) {
    const open = list.filter((s) => Date.parse(s.starts_at) > now());
    const first = open.find((s) => s.free > 0);
    for (const s of list) {
      const chip = document.getElementById(`slot-${s.id}`)?.closest(".chip");
      if (!chip) continue;
      draw(chip, s);
      chip.classList.toggle("is-next", s === first);
      chip.hidden = !open.includes(s);
    }
    const text = first ? next(first) : "No place is free on this day.";
    if (line && line.textContent !== text) line.textContent = text;
  }

  async function look() {
    clearTimeout(timer);
    if (!el.isConnected) return document.removeEventListener("visibilitychange", look);
    if (document.hidden) return;
    try {
      const answer = await fetch(`/v1/slots?date=${el.dataset.date}`);
      if (answer.status === 410) return over();
      if (answer.status === 401) return say("Nobody is signed in here any more.");
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      show((await answer.json()).slots);
      say("");
    } catch {
      say("The connection is lost. What is free may have changed.");
    }
    clearTimeout(timer);
    timer = setTimeout(look, pause);
  }

  document.addEventListener("visibilitychange", look);
  timer = setTimeout(look, pause);
}

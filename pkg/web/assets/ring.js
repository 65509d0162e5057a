// The ring: what is left of a held place. It drains once a second by the
// server's clock, says the minute in words once a minute, and at zero asks
// what became of the order.
import { every, now } from "./clock.js";
import { minutes } from "./words.js";
import { renew } from "./renew.js";

let asked = 0; // times in a row that the server had not settled it yet

export function ring(el) {
  const end = Date.parse(el.dataset.end);
  const span = Number(el.dataset.seconds);
  const arc = el.querySelector(".left");
  const digits = el.querySelector(".digits");
  const spoken = el.querySelector("[aria-live]");
  let said = -1;
  el.classList.remove("is-still");

  every(el, () => {
    const left = Math.max(0, Math.ceil((end - now()) / 1000));
    arc.setAttribute("stroke-dasharray", `${Math.min(100, (100 * left) / span)} 100`);
    digits.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    const minute = Math.ceil(left / 60);
    if (minute !== said) spoken.textContent = minute ? `${minutes(minute)} left` : "The time is over";
    said = minute;
    if (left > 0) {
      asked = 0;
      return true;
    }
    el.classList.add("is-ended");
    if (el.dataset.page) setTimeout(renew, Math.min(8000, 250 * 2 ** asked++), el.dataset.page, "main");
    return false;
  });
}

// The line that says what time it is at the shop, minute by minute.
import { every, now } from "./clock.js";

export function clockline(el) {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: el.dataset.zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  every(el, () => {
    const text = format.format(now());
    if (el.textContent !== text) el.textContent = text;
  });
}

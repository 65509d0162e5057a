// The line that says what time it is at the shop, minute by minute.
import { every, now } from "./clock.js";

const formats = new Map();

function parts(timeZone, t) {
  if (!formats.has(timeZone)) {
    formats.set(timeZone, new Intl.DateTimeFormat("en-GB", {
      timeZone, weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
    }));
  }
  return Object.fromEntries(formats.get(timeZone).formatToParts(t).map((p) => [p.type, p.value]));
}

// dayOf is the day in a zone, as the server writes it.
export function dayOf(zone, t) {
  const { weekday, day, month } = parts(zone, t);
  return `${weekday} ${day} ${month}`;
}

export function clockline(el) {
  const { zone } = el.dataset;
  const put = (selector, text) => {
    const at = el.querySelector(selector);
    if (at.textContent !== text) at.textContent = text;
  };
  every(el, () => {
    const { hour, minute } = parts(zone, now());
    put(".now", `${hour}:${minute}`);
    put(".day", dayOf(zone, now()));
  });
}

// The console follows the feed of events: what is new in it makes the page's
// parts be asked for again. A commit can follow its decision by ten seconds, so
// each look begins that much before the last, and what was seen is known by id.
import { renew } from "./renew.js";
import { say, over } from "./quiet.js";

const pause = 3000;
const overlap = 12000; // ten seconds, and the second that Date is cut to, and one more
const parts = ["#happens", "#traffic", "#ends", "#board-sum", "#slots"];

export function feed(el) {
  let seen = new Set();
  let after = "";
  let first = true;
  let timer = 0;

  // read asks for what the feed has from the last place on, less the overlap.
  async function read() {
    const ids = new Set();
    let from = after;
    let fresh = false;
    for (;;) {
      const answer = await fetch(`/v1/events?limit=100&after=${encodeURIComponent(from)}`);
      if (answer.status === 410) return over();
      if (answer.status === 401) return say("Nobody is signed in here any more.");
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const { events, next_after } = await answer.json();
      for (const e of events) {
        ids.add(e.id);
        fresh ||= !seen.has(e.id);
      }
      if (events.length < 100) {
        const wall = Date.parse(answer.headers.get("Date"));
        if (wall) after = iso(wall - overlap);
        break;
      }
      from = next_after;
    }
    seen = ids;
    return fresh;
  }

  // typing reports whether somebody has something in a form that is not sent yet.
  const typing = (part) =>
    [...document.querySelectorAll(`${part} input`)].some((i) => i.type !== "hidden" && i.value !== i.defaultValue);

  async function look() {
    clearTimeout(timer);
    if (!el.isConnected) return document.removeEventListener("visibilitychange", look);
    if (document.hidden) return;
    try {
      const fresh = await read();
      if (fresh && !first) await show();
      first = false;
      say("");
    } catch {
      say("The connection is lost. What is shown may have changed.");
    }
    clearTimeout(timer);
    timer = setTimeout(look, pause);
  }

  async function show() {
    const known = new Set([...document.querySelectorAll("#happens [data-id]")].map((l) => l.dataset.id));
    await renew(el.dataset.page, ...parts.filter((p) => !typing(p)));
    for (const l of document.querySelectorAll("#happens [data-id]")) l.classList.toggle("is-new", !known.has(l.dataset.id));
  }

  document.addEventListener("visibilitychange", look);
  look();
}

// iso is an instant as the API takes it.
function iso(ms) {
  const t = new Intl.DateTimeFormat("sv-SE", {
    timeZone: "UTC", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
  }).format(ms);
  return `${t.replace(" ", "T")}.000Z`;
}

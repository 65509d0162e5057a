// Renewing: the page is asked for again, and its main part and clock are put
// in the place of the old ones. The server stays the only one who words things.
import { set } from "./clock.js";
import { say, over } from "./quiet.js";

let started = () => {};
export function onRenew(start) {
  started = start;
}

// page fetches a page of ours and sets the clock by it.
export async function page(url) {
  const answer = await fetch(url, { headers: { Accept: "text/html" } });
  const at = performance.now();
  if (answer.status === 410) return over();
  if (!answer.ok || answer.redirected) throw new Error(`status ${answer.status}`);
  const doc = new DOMParser().parseFromString(await answer.text(), "text/html");
  set(doc.body.dataset.now, at);
  document.body.dataset.now = doc.body.dataset.now;
  return doc;
}

// swap puts the element of that selector from doc in the place of ours.
export function swap(doc, selector) {
  const old = document.querySelector(selector);
  const fresh = doc.querySelector(selector);
  if (!old || !fresh) return;
  const focused = old.contains(document.activeElement) && document.activeElement.id;
  old.replaceWith(fresh);
  if (focused) document.getElementById(focused)?.focus();
  started(fresh);
  document.dispatchEvent(new Event("renewed"));
}

let running = false;
let again = 1000;

// renew renews parts of this page from the address it has as a plain page.
export async function renew(url, ...parts) {
  if (running || !url) return;
  running = true;
  try {
    const doc = await page(url);
    say("");
    again = 1000;
    if (doc) for (const part of parts) swap(doc, part);
  } catch {
    say("The connection is lost. Trying again.");
    setTimeout(renew, again, url, ...parts);
    again = Math.min(30000, 2 * again);
  } finally {
    running = false;
  }
}

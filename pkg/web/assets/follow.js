// A page left open learns what happened elsewhere: that the shop's clock was
// moved, that its day is another, that the order is no longer as it is shown.
import { now, set } from "./clock.js";
import { dayOf } from "./clockline.js";
import { say, over } from "./quiet.js";
import { renew } from "./renew.js";

const pause = 7000;

export function follow(strip) {
  const { page, offset, day } = strip.dataset;
  const zone = strip.querySelector("[data-zone]").dataset.zone;
  const order = document.querySelector("[data-order]");
  let timer = 0;
  let lost = false;

  async function ask(path) {
    const answer = await fetch(path);
    if (answer.status === 410) over();
    else if (answer.status === 401) say("Nobody is signed in here any more.");
    else if (!answer.ok) throw new Error(`status ${answer.status}`);
    return answer.ok && answer.json();
  }

  // changed reports whether this page shows what is not so any more.
  async function changed() {
    const box = await ask("/v1/sandbox");
    if (!box) return false;
    const { business_now, offset_seconds } = box.clock;
    if (Math.abs(Date.parse(business_now) - now()) > 3000) set(business_now, performance.now());
    if (String(offset_seconds) !== offset || dayOf(zone, now()) !== day) return true;
    const o = order && (await ask(`/v1/orders/${order.dataset.order}`));
    return o && `${o.state} ${o.payments.length} ${o.refunds.length} ${o.history.length}` !== order.dataset.was;
  }

  function again() {
    const shown = document.querySelector("#when [data-date]")?.dataset.date;
    if (!shown) return renew(page, "main");
    const picked = document.querySelector("[name=pickup]:checked");
    return renew(`/shop?date=${shown}${picked ? `&pickup=${picked.value}` : ""}`, ".strip", "#when", "#orders");
  }

  async function look() {
    clearTimeout(timer);
    if (!strip.isConnected) {
      document.removeEventListener("visibilitychange", look);
      return removeEventListener("focus", look);
    }
    if (document.hidden) return;
    try {
      if (await changed()) await again();
      if (lost) say("");
      lost = false;
    } catch {
      lost = true;
      say("The connection is lost. What is shown may have changed.");
    }
    clearTimeout(timer);
    timer = setTimeout(look, pause);
  }

  document.addEventListener("visibilitychange", look);
  addEventListener("focus", look);
  timer = setTimeout(look, pause);
}

// A part of a page that is asked for again every ten seconds, while it is seen.
import { renew } from "./renew.js";

const pause = 10000;

export function fresh(el) {
  function look() {
    document.removeEventListener("visibilitychange", look);
    if (!el.isConnected) return;
    if (document.hidden) document.addEventListener("visibilitychange", look);
    else renew(el.dataset.page, `#${el.id}`); // what comes in its place starts anew
  }
  setTimeout(look, pause);
}

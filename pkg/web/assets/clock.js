// The server's clock. A page carries the instant it was made at; from then on
// only performance.now() counts, so that a wrong clock on this device shows nowhere.
let base = 0;

// set tells the clock that it was iso at the moment at of performance.now().
export function set(iso, at) {
  const t = Date.parse(iso);
  if (!Number.isNaN(t)) base = t - at;
}

// now is the server's instant, in milliseconds.
export const now = () => base + performance.now();

const arrived = performance.getEntriesByType("navigation")[0]?.responseStart;
set(document.body.dataset.now, arrived || performance.now());

// every calls fn now and then once a second, for as long as el is in the page
// and fn does not answer false.
export function every(el, fn) {
  const turn = () => {
    if (!el.isConnected || fn() === false) return;
    setTimeout(turn, 1000 - (now() % 1000));
  };
  turn();
}

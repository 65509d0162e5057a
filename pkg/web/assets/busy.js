// A form that was sent says so when the answer takes more than 300 ms; one that
// cannot be sent is held back.
import { say } from "./quiet.js";

export function busy(form) {
  let timer = 0;
  form.addEventListener("submit", (e) => {
    if (!navigator.onLine) {
      e.preventDefault();
      return say("There is no connection. Nothing was sent; send it when the connection is back.");
    }
    timer = setTimeout(() => {
      form.setAttribute("aria-busy", "true");
      say("Sent. Waiting for the answer.");
    }, 300);
  });
  addEventListener("pageshow", () => {
    clearTimeout(timer);
    form.removeAttribute("aria-busy");
    say("");
  });
}

// A form that was sent says so when the answer takes more than 300 ms.
import { say } from "./quiet.js";

export function busy(form) {
  let timer = 0;
  form.addEventListener("submit", () => {
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

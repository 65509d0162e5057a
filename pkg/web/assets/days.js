// The day picker without losing the page: another day's slots take the place of this one's.
import { say } from "./quiet.js";
import { page, swap } from "./renew.js";

export function days(el) {
  el.addEventListener("click", async (e) => {
    const button = e.target.closest("button");
    if (!button) return;
    e.preventDefault();
    const url = `/shop?date=${button.value}`;
    button.setAttribute("aria-busy", "true");
    try {
      const doc = await page(url);
      if (!doc) return;
      swap(doc, "#when");
      history.replaceState(null, "", url);
      document.querySelector(`#when [value="${button.value}"]`)?.focus();
    } catch {
      if (!navigator.onLine) {
        button.removeAttribute("aria-busy");
        return say("There is no connection. Another day is shown when it is back.");
      }
      button.form.noValidate = true;
      el.dataset.piece = "";
      location.href = url;
    }
  });
}

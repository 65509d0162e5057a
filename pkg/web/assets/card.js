// The refusal card goes away when what it is about is chosen otherwise.
export function card(el) {
  const form = el.closest("form");
  const { about } = el.dataset;
  if (!form || !about) return;

  function hear({ target: { name } }) {
    if (name !== about && !(about === "lines" && name.startsWith("qty."))) return;
    form.removeEventListener("input", hear);
    el.remove();
    for (const at of form.querySelectorAll("[aria-describedby=refused-text]")) {
      at.removeAttribute("aria-describedby");
      at.removeAttribute("aria-invalid");
    }
  }

  form.addEventListener("input", hear);
}

// The basket: what is chosen, when it is for and what it costs, as it is chosen.
import { count, money } from "./words.js";

function row(left, right, tag = "li") {
  const el = document.createElement(tag);
  for (const text of [left, right]) {
    const span = document.createElement("span");
    span.textContent = text;
    el.append(span);
  }
  return el;
}

export function basket(el) {
  const form = el.closest("form");
  const { unit, digits } = el.dataset;
  const price = (n) => money(n, unit, Number(digits));

  function show() {
    const list = document.createElement("ul");
    let total = 0;
    let pieces = 0;
    for (const input of form.querySelectorAll("[data-price]")) {
      const typed = Number(input.value) || 0;
      input.setCustomValidity(typed > input.max ? `An order takes at most ${input.max} of one thing.` : "");
      const n = Math.min(input.max, Math.max(0, Math.floor(typed)));
      if (!n) continue;
      pieces += n;
      total += n * Number(input.dataset.price);
      list.append(row(`${n} × ${input.dataset.name}`, price(n * Number(input.dataset.price))));
    }
    const slot = form.querySelector("[name=pickup]:checked");
    const pickup = document.createElement("p");
    pickup.textContent = slot ? `Pickup ${slot.dataset.when}` : "No pickup time chosen yet.";
    form.querySelector("[data-sum]").textContent = total ? `${count(pieces, "piece")}, ${price(total)}` : "Nothing chosen yet";
    form.querySelector("[data-pickup]").textContent = slot ? slot.dataset.when : "no pickup time yet";
    if (!total) return el.replaceChildren("Nothing chosen yet.", pickup);
    const sum = row("Total", price(total), "p");
    sum.className = "total";
    el.replaceChildren(pickup, list, sum);
  }

  for (const qty of form.querySelectorAll(".qty")) {
    const input = qty.querySelector("input");
    for (const button of qty.querySelectorAll("button")) {
      button.hidden = input.disabled;
      button.addEventListener("click", () => {
        input.value = Math.min(input.max, Math.max(0, (Number(input.value) || 0) + Number(button.dataset.step)));
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
    }
  }
  form.addEventListener("input", show);
  document.addEventListener("renewed", show);
  show();
}

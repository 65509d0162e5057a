// The refusal's countdown: how long until asking again makes sense.
import { every, now } from "./clock.js";
import { inWords } from "./words.js";

export function countdown(el) {
  const end = Date.parse(el.dateTime);
  every(el, () => {
    const left = Math.ceil((end - now()) / 1000);
    el.textContent = left > 0 ? `, in ${inWords(left)}` : ", now";
    return left > 0;
  });
}

// Durations and amounts in words, as the server writes them (words.go).
export const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

export const places = (n) => count(n, "place");
export const minutes = (n) => count(n, "minute");

// inWords is a duration of whole seconds.
export function inWords(s) {
  if (s < 60) return count(s, "second");
  if (s < 3600) return minutes(Math.floor(s / 60)) + (s % 60 ? ` ${count(s % 60, "second")}` : "");
  if (s < 172800) return `about ${count(Math.round(s / 3600), "hour")}`;
  return `about ${count(Math.round(s / 86400), "day")}`;
}

// money is an amount in minor units, in the shop's unit with its digits.
export function money(minor, unit, digits) {
  const power = 10 ** digits;
  const whole = String(Math.floor(minor / power)).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  const rest = digits ? `,${String(minor % power).padStart(digits, "0")}` : "";
  return `${whole}${rest}\u00a0${unit}`;
}

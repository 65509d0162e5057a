// The quiet line at the top: what is wrong for the moment. It goes away by itself.
const line = document.getElementById("quiet");
const offline = "There is no connection. What is shown may have changed.";

export function say(text) {
  text ||= navigator.onLine ? "" : offline;
  if (line.textContent !== text && !document.body.classList.contains("is-over")) line.textContent = text;
}

addEventListener("offline", () => say(""));
addEventListener("online", () => say(""));

// over greys the page: its copy of the shop has ended, and this is its last picture.
export function over() {
  if (document.body.classList.contains("is-over")) return;
  const link = document.createElement("a");
  link.href = "/sign-in";
  link.className = "button slim";
  link.textContent = "Start another";
  line.replaceChildren("Your copy of the shop is over. ", link);
  document.body.classList.add("is-over");
  document.getElementById("main").inert = true;
}

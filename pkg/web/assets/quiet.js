// The quiet line at the top: what is wrong for the moment. It goes away by itself.
const line = document.getElementById("quiet");

export function say(text) {
  if (line.textContent !== text && !document.body.classList.contains("is-over")) line.textContent = text;
}

// over greys the page: its sandbox has ended, and this is its last picture.
export function over() {
  if (document.body.classList.contains("is-over")) return;
  const link = document.createElement("a");
  link.href = "/sign-in";
  link.textContent = "Start another";
  line.replaceChildren("This sandbox is over. ", link);
  document.body.classList.add("is-over");
}

// The body of a function that says what is wrong with how the window is laid out now; run in every engine that shows it.
const faults = [];
const name = (element) => `${element.localName}.${[...element.classList].filter((part) => !/^s[0-9a-z]{5,6}$/.test(part)).join(".")} ${JSON.stringify(element.textContent.trim().slice(0, 40))}`;
const seen = (element) => element.checkVisibility() && element.closest(".unseen") === null;
const box = (element) => {
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  return { left, top, right, bottom, width, height };
};

// What opens over the window or beside its middle is of a size to be used, and lies in the window.
const opened = [...document.querySelectorAll("dialog[open], .pop, .column, [role=search], main")].filter(seen);
for (const element of opened) {
  const at = box(element);
  if (at.width < 160 || at.height < 28) faults.push(`too small, ${Math.round(at.width)} x ${Math.round(at.height)}: ${name(element)}`);
  if (at.left < -1 || at.top < -1 || at.right > innerWidth + 1 || at.bottom > innerHeight + 1) faults.push(`out of the window, ${JSON.stringify(at)}: ${name(element)}`);
}
for (const element of document.querySelectorAll("dialog[open], dialog[open] .page")) {
  if (element.scrollWidth > element.clientWidth + 1) faults.push(`cut at its side: ${name(element)}`);
}
const root = document.documentElement;
if (root.scrollWidth > innerWidth || root.scrollTop !== 0) faults.push("the window itself scrolls");

// No end of a text is cut off where it can't be scrolled to; a line that ends in an ellipsis says that there is more.
const hides = (overflow) => overflow === "hidden" || overflow === "clip";
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const range = document.createRange();
for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
  const parent = text.parentElement;
  if (text.data.trim() === "" || ["OPTION", "SCRIPT", "STYLE"].includes(parent.tagName) || !seen(parent)) continue;
  range.selectNodeContents(text);
  const at = box(range);
  let [across, down] = [true, true];
  for (let around = parent; around !== null && (across || down); around = around.parentElement) {
    const style = getComputedStyle(around);
    const edge = box(around);
    if (style.display === "inline" || style.display === "contents") continue;
    if (hides(style.overflowX)) {
      if (style.textOverflow === "ellipsis") across = false;
      else if (across && at.right > edge.right + 2) faults.push(`cut ${Math.round(at.right - edge.right)} px at its side by ${around.localName}.${around.classList[0]}: ${name(parent)}`), (across = false);
    } else if (style.overflowX !== "visible") across = false;
    if (hides(style.overflowY)) {
      if (down && at.bottom > edge.bottom + 4 && style.webkitLineClamp === "none") faults.push(`cut ${Math.round(at.bottom - edge.bottom)} px below by ${around.localName}.${around.classList[0]}: ${name(parent)}`), (down = false);
    } else if (style.overflowY !== "visible") down = false;
    if (style.position === "fixed") break;
  }
}

// What has the focus is in sight.
const focus = document.activeElement;
if (focus !== null && focus !== document.body) {
  const at = box(focus);
  const x = Math.min(innerWidth - 1, Math.max(0, (at.left + at.right) / 2));
  const y = Math.min(innerHeight - 1, Math.max(0, (at.top + at.bottom) / 2));
  const hit = document.elementFromPoint(x, y);
  if (at.width < 4 || at.height < 4 || hit === null || !(focus.contains(hit) || hit.contains(focus))) faults.push(`has the focus and isn't in sight, ${JSON.stringify(at)}: ${name(focus)}`);
}
return faults;

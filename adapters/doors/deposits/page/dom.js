// Elements of the page. Text is only ever set as text: names and titles are
// strangers' words.

export const find = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) out.setAttribute(name, value);
  }
  out.append(...children.map((x) => (x instanceof Node ? x : String(x ?? ""))));
  return out;
}

/// A table whose cells can stand under each other where there is no room.
export function table(caption, heads, rows) {
  const head = heads.map((x) => element("th", { scope: "col" }, x));
  const body = rows.map((cells) => element("tr", {}, ...cells.map(
    (x, i) => element("td", { "data-label": heads[i] }, x))));
  return element("table", { "aria-label": caption },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body));
}

export const time = (text) => (text ? new Date(text).toLocaleString() : "");

export function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let at = 0;
  while (count >= 1024 && at < units.length - 1) {
    count /= 1024;
    at += 1;
  }
  return `${at ? count.toFixed(1) : count} ${units[at]}`;
}

/// What is wrong stands above everything until something works again.
export function say(text) {
  const notice = find("notice");
  if (notice.textContent !== text) notice.textContent = text;
  notice.hidden = !text;
}

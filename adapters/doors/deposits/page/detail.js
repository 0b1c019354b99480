// One submission: its time line, and what became of it.

import { forget, get } from "./api.js";
import { bytes, element, find, time } from "./dom.js";
import { state } from "./list.js";

let shown = 0; // its number; 0: none

function line(name, value) {
  return value === "" || value == null ? []
    : [element("tr", {}, element("th", { scope: "row" }, name),
      element("td", { "data-label": name }, value))];
}

function show(x) {
  find("detail-title").textContent = `Submission ${x.id}`;
  const rows = [
    ...line("File", x.file_name), ...line("State", state(x)),
    ...line("Reason", x.reason), ...line("Operation", x.operation),
    ...line("Size", bytes(x.size)), ...line("Batch", x.batch_id),
    ...line("Received", time(x.received_at)),
    ...line("Last begun", time(x.started_at)),
    ...line("Attempts", x.attempt || ""),
    ...line("Finished", time(x.finished_at))];
  const parts = [element("table", {}, element("tbody", {}, ...rows))];
  if (x.document)
    parts.push(element("h3", {}, "Result"),
      element("pre", { tabindex: 0, "aria-label": "Result" }, x.document));
  find("one").replaceChildren(...parts);
}

export async function refreshDetail() {
  const id = shown;
  if (!id) return;
  const found = await get(`api/submissions/${id}`);
  if (found && id === shown) show(found);
}

export async function openDetail(id) {
  shown = id;
  forget(`api/submissions/${id}`);
  await refreshDetail();
  if (id !== shown) return;
  find("detail").hidden = false;
  find("detail").focus();
}

export function closeDetail() {
  shown = 0;
  find("detail").hidden = true;
  find("one").replaceChildren();
}

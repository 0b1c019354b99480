// The user's submissions, page by page, and where the user stands.

import { forget, get } from "./api.js";
import { bytes, element, find, table, time } from "./dom.js";

let after = ""; // the page shown comes after this one; empty: the newest
let next = "";

const path = () => `api/mine${after ? `?after=${after}` : ""}`;

export function state(x) {
  if (x.parked) return element("span", { class: "bad" }, "set aside");
  if (x.failed) return element("span", { class: "bad" }, "failed");
  if (x.status === "completed")
    return element("span", { class: "good" }, "completed");
  return x.status === "in_process" ? "in process" : "queued";
}

function show(found, open) {
  next = found.next || "";
  find("older").hidden = !next;
  find("newest").hidden = !after;
  const rows = found.submissions.map((x) => [
    element("button", { class: "link", type: "button",
      "aria-label": `Submission ${x.id}, ${x.file_name}`,
      "data-id": x.id, onclick: () => open(x.id) }, x.file_name),
    x.id, x.operation, bytes(x.size), state(x), time(x.received_at),
    time(x.finished_at)]);
  const focused = document.activeElement?.dataset?.id;
  find("mine").replaceChildren(rows.length
    ? table("Submissions", ["File", "Number", "Operation", "Size", "State",
      "Received", "Finished"], rows)
    : element("p", { class: "faint" }, "Nothing has been handed in yet."));
  if (focused) find("mine").querySelector(`[data-id="${focused}"]`)?.focus();
}

/// Whoever turns pages faster than they come sees the last one only.
export async function refreshList(open) {
  const asked = path();
  const found = await get(asked);
  if (found && asked === path()) show(found, open);
}

export function startList(refresh) {
  const turn = (to) => {
    after = to;
    forget(path());
    refresh();
  };
  find("older").addEventListener("click", () => turn(next));
  find("newest").addEventListener("click", () => turn(""));
}

export function clearList() {
  after = "";
  next = "";
  find("mine").replaceChildren();
  find("place").replaceChildren();
}

export async function refreshPlace() {
  const found = await get("api/place");
  if (!found) return;
  const rows = (found.queues || []).map((x) => [x.queue, x.waiting,
    x.place ?? "", x.users_before ?? "",
    x.rate_per_hour == null ? "" : Math.round(x.rate_per_hour),
    time(x.done_by)]);
  find("place").replaceChildren(rows.length
    ? table("Place in the ring", ["Queue", "Waiting", "Place",
      "Users before you", "Done in an hour", "Probably done by"], rows)
    : element("p", { class: "faint" }, "Nothing waits."));
}

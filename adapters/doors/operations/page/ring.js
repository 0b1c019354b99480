// The ring of a queue as a picture: whose turn is next stands on top, the turns
// go round clockwise; those who have none now stand inside.

import { number } from "./cells.js";
import { link, table, tag } from "./parts.js";
import { to } from "./state.js";

const size = 460;
const middle = size / 2;
const shown_max = 48;

function at(angle, radius) {
  return [middle + radius * Math.sin(angle), middle - radius * Math.cos(angle)];
}

function dot(waiting) {
  return 8 + Math.min(12, 3 * Math.log10(1 + (waiting || 0)));
}

function short(text, length = 14) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function one(h, x, angle, radius, labelled, next) {
  const [cx, cy] = at(angle, radius);
  const [tx, ty] = at(angle, radius + (radius > 150 ? 30 : -26));
  const side = radius > 150 ? Math.sin(angle) : 0;
  const anchor = Math.abs(side) < 0.2 ? "middle" : side > 0 ? "start" : "end";
  const why = (x.why || []).join("; ");
  const says = `${x.user}: ${x.eligible
    ? `place ${x.place}` : why || "has no turn now"}, ${
    number(x.waiting)} wait, ${number(x.in_process)} in process`;
  return h("a", { attrs: { href: to(["users", x.user]), "aria-label": says },
                  key: x.user }, [
    h("title", says),
    x.in_process > 0 ? h("circle", {
      class: "works", attrs: { cx, cy, r: dot(x.waiting) + 3.5 } }) : null,
    h("circle", {
      class: next ? "next" : x.eligible ? "eligible" : "out",
      attrs: { cx, cy, r: dot(x.waiting) },
    }),
    labelled ? h("text", {
      attrs: { x: tx, y: ty + 4, "text-anchor": anchor },
    }, short(x.user)) : null,
  ]);
}

export function picture(h, ring) {
  const turning = ring.users.filter((x) => x.eligible).slice(0, shown_max);
  const out = ring.users.filter((x) => !x.eligible).slice(0, shown_max);
  const spread = (list, radius, labelled) => list.map((x, i) =>
    one(h, x, 2 * Math.PI * i / Math.max(1, list.length), radius,
        list.length <= (labelled ? 24 : 8),
        x.eligible && i === 0 && !ring.suspended));
  return h("svg", {
    class: "ring",
    attrs: { viewBox: `-90 -14 ${size + 180} ${size + 28}`, role: "group",
             "aria-label": `The ring of ${ring.queue}` },
  }, [
    h("circle", { class: ["track", { still: ring.suspended }],
                  attrs: { cx: middle, cy: middle, r: 178 } }),
    out.length > 0 ? h("circle", {
      class: "inner", attrs: { cx: middle, cy: middle, r: 104 } }) : null,
    ...spread(turning, 178, true),
    ...spread(out, 104, false),
    h("text", { class: "big", attrs: { x: middle, y: middle - 4,
                                       "text-anchor": "middle" } },
      ring.suspended ? "suspended"
        : turning.length > 0 ? short(turning[0].user, 18) : "nobody"),
    h("text", { class: "small", attrs: { x: middle, y: middle + 16,
                                         "text-anchor": "middle" } },
      ring.suspended ? "hands out nothing" : "is next"),
    h("text", { class: "small", attrs: { x: middle, y: middle + 36,
                                         "text-anchor": "middle" } },
      `${number(ring.turns_taken)} turns taken`),
  ]);
}

export function legend(h) {
  const all = [["next", "next"], ["eligible", "waits for its turn"],
               ["out", "has no turn now (inside)"],
               ["works", "has something in process"]];
  return h("p", { class: "legend" }, all.map(([look, text]) => h("span", [
    h("span", { class: ["key", look] }), text])));
}

export function ringTable(h, ring) {
  return table(h, {
    label: "Users in the order of their turns", rows: ring.users,
    key: (x) => x.user, empty: "Nobody has anything in this queue.",
    columns: [
      { title: "Place", number: true,
        of: (x) => (x.eligible ? String(x.place) : "–") },
      { title: "User", of: (x) => link(h, ["users", x.user], x.user) },
      { title: "Waiting", number: true, of: (x) => number(x.waiting) },
      { title: "In process", number: true, of: (x) =>
        `${number(x.in_process)}${x.concurrency === null
          || x.concurrency === undefined ? "" : ` of ${x.concurrency}`}` },
      { title: "Turns at once", number: true,
        of: (x) => number(x.allocation) },
      { title: "Taken", number: true, of: (x) => number(x.turns_taken) },
      { title: "Why not now", of: (x) => (x.eligible ? tag(h, "eligible", "ok")
        : (x.why || []).join("; ") || "–") },
    ],
  });
}

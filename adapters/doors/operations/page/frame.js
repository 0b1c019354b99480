// What is around every view: where to go, questions, notes, help.

import * as api from "./api.js";
import { number } from "./cells.js";
import { dismiss, leave, say, state, to } from "./state.js";

/// {path, title, key: after "g", words: the command without which it is not
/// shown}.
export const places = [
  { path: "", title: "Overview", key: "o" },
  { path: "queues", title: "Queues", key: "q" },
  { path: "users", title: "Users", key: "u" },
  { path: "processors", title: "Processors", key: "p" },
  { path: "submissions", title: "Submissions", key: "s" },
  { title: "Jobs" },
  { path: "batches", title: "Batches", key: "b", words: "batch list" },
  { path: "jobs", title: "Jobs", key: "j", words: "job list" },
  { path: "review", title: "Review", key: "r", words: "review list" },
  { path: "pipelines", title: "Pipelines", key: "i", words: "pipeline list" },
  { path: "collections", title: "Collections", words: "collection list" },
  { path: "objects", title: "Objects", words: "object list" },
  { path: "deletions", title: "Deletions", words: "deletion list" },
  { title: "Messages" },
  { path: "topics", title: "Topics", key: "t", words: "topic list" },
  { path: "sources", title: "Sources", key: "c", words: "source list" },
  { path: "schedulers", title: "Schedulers", words: "scheduler list" },
  { path: "kafka", title: "Kafka", key: "k", words: "kafka status" },
  { path: "dead-letters", title: "Dead letters", key: "d" },
  { title: "Engine" },
  { path: "shards", title: "Shards", key: "h", words: "shards" },
  { path: "operators", title: "Operators", words: "operator list" },
  { path: "keys", title: "API keys", words: "key list" },
  { path: "settings", title: "Settings", key: "e" },
  { path: "audit", title: "Audit", key: "a" },
  { path: "do", title: "All commands", key: "x" },
];

export function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch (_) {
    // It holds for this visit.
  }
}

async function end() {
  try {
    await api.logOut();
  } catch (problem) {
    if (problem.status !== 401)
      say(problem.message, true);
  }
  leave();
}

export const Frame = {
  data: () => ({ open: false }),
  methods: {
    entry(h, x) {
      if (!x.path && x.path !== "")
        return h("li", { class: "group", key: x.title }, x.title);
      const here = (state.route.path[0] || "") === x.path;
      return h("li", { key: x.path }, [h("a", {
        class: { here },
        attrs: { href: to(x.path), "aria-current": here ? "page" : null,
                 title: x.key ? `g ${x.key}` : null },
        on: { click: () => { this.open = false; } },
      }, x.title)]);
    },
    link(h) {
      const live = state.link === "live";
      return h("span", { class: ["link", { live }],
                         attrs: { role: "status" } },
               live ? "live" : "not live");
    },
  },
  render(h) {
    const shown = places.filter((x) => !x.words || api.find(x.words));
    const button = (text, label, click, more = {}) => h("button", {
      class: "icon", attrs: { type: "button", "aria-label": label,
                              title: label, ...more },
      on: { click } }, text);
    return h("div", { class: "frame" }, [
      h("a", { class: "skip", attrs: { href: "#title" }, on: {
        click: (e) => {
          e.preventDefault();
          document.getElementById("title").focus();
        } } }, "To the content"),
      h("header", { class: "top" }, [
        button("☰", "Places", () => { this.open = !this.open; },
               { "aria-expanded": String(this.open),
                 "aria-controls": "places" }),
        h("a", { class: "brand", attrs: { href: "#/" } }, "depositd"),
        this.link(h),
        h("span", { class: "space" }),
        h("span", { class: "who" }, `${state.session.name} · ${
          state.session.role}`),
        button("◐", "Light or dark", theme),
        button("?", "Keys", () => { state.help = true; }),
        h("button", { class: "plain", attrs: { type: "button" },
                      on: { click: end } }, "Log out"),
      ]),
      h("nav", { class: ["places", { open: this.open }],
                 attrs: { id: "places", "aria-label": "Places" } }, [
        h("ul", shown.map((x) => this.entry(h, x)))]),
      h("main", { class: "main" }, this.$slots.default),
    ]);
  },
};

/// A box over the page that keeps the focus until it is closed.
function box(h, key, title, inside, close) {
  return h("dialog", {
    key, attrs: { "aria-labelledby": `${key}-title` },
    on: { cancel: (e) => {
      e.preventDefault();
      close();
    } },
  }, [h("h2", { attrs: { id: `${key}-title` } }, title), ...inside]);
}

export const Over = {
  updated() {
    for (const x of this.$el.querySelectorAll("dialog:not([open])"))
      x.showModal();
  },
  methods: {
    question(h) {
      const x = state.dialog;
      return box(h, "question", x.title, [
        x.count !== undefined
          ? h("p", [h("strong", number(x.count)), " of them."]) : null,
        x.text ? h("p", [h("code", x.text)]) : null,
        h("div", { class: "acts" }, [
          h("button", { class: "plain", attrs: { type: "button",
                                                 autofocus: true },
                        on: { click: () => x.done(false) } }, "No"),
          h("button", { class: "danger", attrs: { type: "button",
                                                  id: "yes" },
                        on: { click: () => x.done(true) } }, "Yes"),
        ]),
      ], () => x.done(false));
    },
    keys(h) {
      const close = () => { state.help = false; };
      const rows = [["/", "search or filter"], ["?", "these keys"],
                    ["Esc", "close"],
                    ...places.filter((x) => x.key).map(
                      (x) => [`g ${x.key}`, x.title])];
      return box(h, "keys", "Keys", [
        h("dl", { class: "pairs keys" }, rows.flatMap(([key, what]) => [
          h("dt", key.split(" ").map((x) => h("kbd", x))),
          h("dd", what)])),
        h("div", { class: "acts" }, [
          h("button", { class: "plain", attrs: { type: "button" },
                        on: { click: close } }, "Close")]),
      ], close);
    },
  },
  render(h) {
    return h("div", [
      state.dialog ? this.question(h) : null,
      state.help ? this.keys(h) : null,
      h("div", { class: "notes", attrs: { "aria-live": "polite" } },
        state.notes.map((x) => h("p", {
          key: x.id, class: { wrong: x.wrong },
        }, [x.text, h("button", {
          class: "icon", attrs: { type: "button", "aria-label": "Dismiss" },
          on: { click: () => dismiss(x.id) } }, "×")]))),
    ]);
  },
};

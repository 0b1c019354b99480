// Submissions: filters, one with its time line, result and why.

import * as api from "./api.js";
import { bytes, clock, duration } from "./cells.js";
import { form, listView } from "./lists.js";
import { Watching, action, card, heading, link, pairs, tag }
  from "./parts.js";
import { state } from "./state.js";
import { whySentence } from "./why.js";

function status(h, x) {
  if (x.failed)
    return tag(h, "failed", "bad");
  if (x.parked)
    return tag(h, "parked", "bad");
  return tag(h, x.status.replaceAll("_", " "),
             x.status === "completed" ? "ok" : "");
}

/// From one time to another, in seconds; null if either is not known.
function between(from, until) {
  const x = (Date.parse(until) - Date.parse(from)) / 1000;
  return Number.isNaN(x) ? null : x;
}

function took(from, until) {
  const x = from && until ? between(from, until) : null;
  if (x === null)
    return "–";
  return x < 1 ? `${Math.round(x * 1000)} ms`
    : x < 60 ? `${x.toFixed(1)} s` : duration(x);
}

export const Submissions = listView({
  title: "Submissions", words: "submission list", path: "submissions",
  filters: ["user", "queue", "status"], rows: (x) => x.submissions,
  key: (x) => x.id, empty: "None are like that.",
  acts: (h) => [form(h, "submit", "Submit files …"),
                form(h, "submission cancel", "Cancel many …"),
                form(h, "park", "Park …"), form(h, "unpark", "Unpark …")],
  columns: (h) => [
    { title: "Number", number: true, of: (x) =>
      link(h, ["submissions", String(x.id)], String(x.id)) },
    { title: "User", of: (x) => link(h, ["users", x.user], x.user) },
    { title: "Queue", of: (x) => link(h, ["queues", x.queue], x.queue) },
    { title: "File", of: (x) => x.file_name },
    { title: "State", of: (x) => status(h, x) },
    { title: "Size", number: true, of: (x) => bytes(x.size) },
    { title: "Received (UTC)", of: (x) => clock(x.received_at) },
    { title: "Waited", number: true,
      of: (x) => took(x.received_at, x.started_at) },
    { title: "Worked on", number: true,
      of: (x) => took(x.started_at, x.finished_at) },
  ],
});

/// Received, handed out, finished: as a line whose parts are as long as the
/// times between them.
function timeLine(h, x) {
  const until = x.finished_at || new Date().toISOString();
  const waited = between(x.received_at, x.started_at || until) || 0;
  const worked = x.started_at ? between(x.started_at, until) || 0 : 0;
  const all = Math.max(waited + worked, 1e-6);
  // Even what took no time is seen.
  const left = x.started_at ? 6 + 88 * waited / all : 100;
  const steps = [
    ["Received", x.received_at],
    ["Handed out", x.started_at],
    [x.failed ? "Failed" : "Finished", x.finished_at],
  ];
  return h("div", { class: "timeline" }, [
    h("svg", { attrs: { viewBox: "0 0 100 6", role: "img",
                        preserveAspectRatio: "none",
                        "aria-label": `Waited ${took(x.received_at,
                          x.started_at || until)}, worked on ${took(
                          x.started_at, until)}` } }, [
      h("rect", { class: "waits", attrs: { width: left, height: 6 } }),
      x.started_at ? h("rect", {
        class: x.failed ? "fails" : "works",
        attrs: { x: left, width: 100 - left, height: 6 } }) : null,
    ]),
    h("ol", steps.map(([name, time], i) => h("li", {
      class: { open: !time },
    }, [h("strong", name), h("time", time ? clock(time) : "not yet"),
        i === 1 && time ? h("small", `waited ${took(x.received_at, time)}`)
        : i === 2 && time && x.started_at
          ? h("small", `took ${took(x.started_at, time)}`) : null]))),
  ]);
}

export const Submission = {
  mixins: [Watching],
  data: () => ({ why: null }),
  computed: { id: () => state.route.path[1] },
  watch: {
    document(now, before) {
      if (!now || now.status === "completed")
        this.why = null;
      else if (!before || !this.why || now.status !== before.status
               || now.parked !== before.parked)
        this.askWhy();
    },
  },
  created() {
    this.timer = setInterval(() => this.why && this.askWhy(), 5000);
  },
  beforeDestroy() {
    clearInterval(this.timer);
  },
  methods: {
    wants() {
      return state.route.path[0] === "submissions" && this.id
        ? { words: "submission show", values: { id: this.id } } : null;
    },
    async askWhy() {
      try {
        this.why = Object.freeze(await api.read("submission why", {
          id: this.id, user: this.document.user }));
      } catch (_) {
        // It ended meanwhile; the next document says so.
        this.why = null;
      }
    },
    changed() {
      this.refresh();
    },
    acts(h, x) {
      const id = { id: x.id };
      // What went well is not done twice.
      if (x.status === "completed" && !x.failed)
        return [];
      return x.status === "completed"
        ? [action(h, "Submit it again", "submission requeue", id,
                  (made) => {
                    const next = made.id || made.submission;
                    if (next && next !== x.id)
                      location.hash = `#/submissions/${next}`;
                  })]
        : [action(h, "Cancel …", "submission cancel", id, this.changed,
                  { kind: "danger" })];
    },
  },
  render(h) {
    const missing = this.missing(h);
    if (missing)
      return h("div", [heading(h, `Submission ${this.id}`), missing]);
    const x = this.document;
    return h("div", [
      heading(h, `Submission ${x.id}`, this.acts(h, x)),
      card(h, "", [timeLine(h, x)], { label: "Time line" }),
      this.why ? card(h, "Why is it not done yet?", [
        whySentence(h, this.why, this.changed)]) : null,
      x.reason ? card(h, "Why did it fail?", [h("p", x.reason)]) : null,
      h("div", { class: "columns" }, [
        card(h, "What it is", [pairs(h, [
          ["State", [status(h, x)]],
          ["User", [link(h, ["users", x.user], x.user)]],
          ["Queue", [link(h, ["queues", x.queue], x.queue)]],
          ["File", x.file_name || "–"],
          ["Operation", x.operation || "–"],
          ["Size", bytes(x.size)],
          ["Came by", x.source || "–"],
          ["Login", x.login || "–"],
          ["Batch", x.batch_id || "–"],
          ["Attempt", String(x.attempt)],
          ["Processor", x.processor || "–"],
          ["Payload", [h("code", (x.blob || "–").slice(0, 16))]],
        ])]),
        x.document ? card(h, "Result", [h("pre", x.document)]) : null,
      ]),
    ]);
  },
};

// Queues, and the ring of one.

import * as api from "./api.js";
import { number } from "./cells.js";
import { form, listView } from "./lists.js";
import { Polling, Watching, action, card, heading, link, pairs, table, tag,
         trouble } from "./parts.js";
import { legend, picture, ringTable } from "./ring.js";
import { state } from "./state.js";

const limit = (x) => (x === null || x === undefined ? "none" : number(x));

export const Queues = listView({
  title: "Queues", words: "queue list", path: "queues", page: 100,
  rows: (x) => x.queues, key: (x) => x.name,
  columns: (h) => [
    { title: "Queue", of: (x) => link(h, ["queues", x.name], x.name) },
    { title: "Kind", of: (x) => x.kind },
    { title: "State", of: (x) => (x.suspended
      ? tag(h, "suspended", "bad") : tag(h, "open", "ok")) },
    { title: "Waiting", number: true, of: (x) => number(x.ready) },
    { title: "In process", number: true, of: (x) => number(x.in_flight) },
    { title: "Users", number: true, of: (x) => number(x.users) },
    { title: "Eligible", number: true, of: (x) => number(x.eligible_users) },
    { title: "Processors", number: true, of: (x) => number(x.processors) },
    { title: "Finished", number: true, of: (x) => number(x.finished) },
  ],
});

export const Queue = {
  mixins: [Watching, Polling],
  computed: {
    name: () => state.route.path[1],
    rings: () => Boolean(api.find("queue ring")),
  },
  created() {
    this.poll("queue", () => api.read("queue show", { name: this.name }),
              4000);
    if (this.rings)
      return;
    // An engine without the picture's command knows the turns of its users.
    this.poll("users", () => api.read("user list", { queue: this.name,
                                                     limit: 200 }), 4000);
  },
  methods: {
    wants() {
      return state.route.path[0] === "queues" && this.rings
        ? { words: "queue ring", values: { name: this.name, limit: 100 } }
        : null;
    },
    /// The ring, or the same made from the list of users.
    ring() {
      if (this.document)
        return this.document;
      const list = this.polled.users;
      if (!list || list.problem)
        return null;
      const users = list.users.flatMap((x) => x.queues
        .filter((q) => q.queue === this.name)
        .map((q) => ({
          user: x.user, place: q.turn, waiting: q.ready,
          in_process: q.in_flight, turns_taken: q.turns_taken,
          allocation: q.allocation, concurrency: q.concurrency,
          eligible: q.state === "eligible",
          why: [q.state.replaceAll("_", " ")],
        })));
      users.sort((a, b) => (a.place || 1e12) - (b.place || 1e12));
      return { queue: this.name, suspended: (this.polled.queue || {}).suspended,
               turns_taken: users.reduce((n, x) => n + x.turns_taken, 0),
               users };
    },
    acts(h, x) {
      const changed = async () => {
        this.refresh();
        this.$set(this.polled, "queue", Object.freeze(
          await api.read("queue show", { name: this.name })));
      };
      return [
        x.suspended
          ? action(h, "Resume", "queue resume", { name: x.name }, changed,
                   { kind: "main" })
          : action(h, "Suspend", "queue suspend", { name: x.name }, changed),
        form(h, "queue set", "Change …", { name: x.name }),
        action(h, "Purge …", "queue purge", { name: x.name }, changed,
               { kind: "danger" }),
      ];
    },
    facts(h, x) {
      return card(h, "Queue", [pairs(h, [
        ["Kind", x.kind],
        ["State", [x.suspended ? tag(h, "suspended", "bad")
                               : tag(h, "open", "ok")]],
        ["Waiting", number(x.ready)], ["In process", number(x.in_flight)],
        ["Users", `${number(x.users)}, ${number(x.eligible_users)} eligible`],
        ["Processors", number(x.processors)],
        ["Handed out", number(x.handed_out)],
        ["Finished", number(x.finished)],
        ["Turns at once", number(x.allocation)],
        ["At once for a user", limit(x.concurrency)],
        ["Pending for a user", limit(x.pending_limit)],
        ["Attempts", limit(x.attempts_max)],
        ["Fair by", x.fair_by || "turns"],
      ])], { side: x.kind === "deposit" ? link(
        h, "submissions", "Its submissions", { queue: x.name }) : null });
    },
  },
  render(h) {
    const x = this.polled.queue;
    const ring = this.ring();
    if (x && x.problem)
      return h("div", [heading(h, this.name), trouble(h, x.problem)]);
    return h("div", [
      heading(h, this.name, x ? this.acts(h, x) : []),
      h("div", { class: "columns" }, [
        card(h, "The ring", ring ? [picture(h, ring), legend(h)]
          : [this.problem ? trouble(h, this.problem)
                          : h("p", { class: "quiet" }, "Asking …")]),
        x ? this.facts(h, x) : null,
      ]),
      ring ? card(h, "Turns", [ringTable(h, ring)]) : null,
    ]);
  },
};

/// Processors, what each works on, and where.
export const Processors = {
  mixins: [Watching],
  data: () => ({ all: false }),
  methods: {
    wants: () => ({ words: "sp list" }),
    works(h, x) {
      const busy = x.slots.filter((s) => s.state !== "idle");
      const rows = this.all ? x.slots : busy;
      return card(h, "Slots", [table(h, {
        label: "Slots", rows, empty: "All slots are idle.",
        key: (s) => `${s.node} ${s.processor} ${s.slot}`,
        columns: [
          { title: "Processor", of: (s) => s.processor },
          { title: "Slot", number: true, of: (s) => String(s.slot) },
          { title: "Node", of: (s) => s.node || "this engine" },
          { title: "Queue", of: (s) => link(h, ["queues", s.queue], s.queue) },
          { title: "State", of: (s) => tag(h, s.state, s.state === "idle"
            ? "" : "ok") },
          { title: "Works on", of: (s) => (s.item === null ? "–"
            : link(h, ["submissions", String(s.item)], String(s.item))) },
          { title: "User", of: (s) => (s.user
            ? link(h, ["users", s.user], s.user) : "–") },
          { title: "Since", of: (s) => (s.since || "–").slice(0, 19)
            .replace("T", " ") },
        ],
      })], { side: h("label", { class: "check" }, [
        h("input", { attrs: { type: "checkbox" },
                     domProps: { checked: this.all },
                     on: { change: (e) => { this.all = e.target.checked; } } }),
        `idle ones too (${x.slots.length - busy.length})`]) });
    },
    nodes(h, x) {
      const nodes = new Map();
      for (const s of x.slots) {
        const name = s.node || "this engine";
        const n = nodes.get(name) || { name, slots: 0, busy: 0 };
        n.slots += 1;
        n.busy += s.state === "idle" ? 0 : 1;
        nodes.set(name, n);
      }
      return card(h, "Nodes", [table(h, {
        label: "Nodes", rows: [...nodes.values()], key: (n) => n.name,
        columns: [
          { title: "Node", of: (n) => n.name },
          { title: "Busy", number: true, of: (n) => number(n.busy) },
          { title: "Slots", number: true, of: (n) => number(n.slots) },
        ],
      })]);
    },
  },
  render(h) {
    const missing = this.missing(h);
    const x = this.document;
    return h("div", [
      heading(h, "Processors and nodes", [form(h, "sp add",
                                               "New processor …")]),
      missing || h("div", { class: "columns" }, [
        card(h, "Processors", [table(h, {
          label: "Processors", rows: x.processors, key: (p) => p.name,
          columns: [
            { title: "Processor", of: (p) => p.name },
            { title: "Queues", of: (p) => (p.types || []).join(", ") },
            { title: "Slots", number: true, of: (p) => number(p.slots) },
            { title: "Users", of: (p) => ((p.user_filter || []).length
              ? `${p.exclude_users ? "not " : "only "}${
                p.user_filter.join(", ")}` : "all") },
            { title: "Nodes", of: (p) => (p.nodes || []).join(", ")
              || "any" },
            { title: "", of: (p) => [
              form(h, "sp set", "Change …", { name: p.name }),
              action(h, "Stop", "sp stop", { name: p.name },
                     () => this.refresh(), { kind: "danger" })] },
          ],
        })]),
        this.nodes(h, x),
      ]),
      missing ? null : this.works(h, x),
    ]);
  },
};

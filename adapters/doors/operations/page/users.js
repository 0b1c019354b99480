// Users: what waits, what they got, and one of them with why it waits.

import * as api from "./api.js";
import { number } from "./cells.js";
import { form, listView } from "./lists.js";
import { Polling, Watching, action, card, heading, link, pairs, table, tag }
  from "./parts.js";
import { go, state } from "./state.js";
import { WhyUser, places } from "./why.js";

function flags(h, x) {
  return [x.held ? tag(h, "held", "bad") : null,
          x.prohibited ? tag(h, "prohibited", "bad") : null,
          x.account === false ? tag(h, "no account") : null].filter(Boolean);
}

function total(x, key) {
  return (x.queues || []).reduce((sum, q) => sum + (q[key] || 0), 0);
}

/// What a user got of what all of this page got, beside an even part of it.
function share(h, x, all) {
  const taken = all.reduce((sum, one) => sum + total(one, "turns_taken"), 0);
  const of = (one) => Math.max(...(one.queues || []).map(
    (q) => q.allocation || 0), 0);
  const weights = all.reduce((sum, one) => sum + of(one), 0);
  if (taken === 0 || weights === 0)
    return "–";
  const got = total(x, "turns_taken") / taken;
  const fair = of(x) / weights;
  return h("span", { class: "bar", attrs: { role: "img",
    "aria-label": `${(got * 100).toFixed(1)} %, fair is ${
      (fair * 100).toFixed(1)} %`,
    title: `${(got * 100).toFixed(1)} %, fair is ${
      (fair * 100).toFixed(1)} %` } }, [
    h("svg", { attrs: { viewBox: "0 0 100 10",
                        preserveAspectRatio: "none" } }, [
      h("rect", { class: "back", attrs: { width: 100, height: 10 } }),
      h("rect", { class: "got", attrs: { width: got * 100, height: 10 } }),
      h("rect", { class: "fair", attrs: { x: fair * 100 - 0.6, width: 1.2,
                                          height: 10 } }),
    ])]);
}

export const Users = listView({
  title: "Users", words: "user list", path: "users", filters: ["queue"],
  rows: (x) => x.users, key: (x) => x.user, empty: "There are no users.",
  acts: (h) => [h("form", {
    class: "find", on: { submit: (e) => {
      e.preventDefault();
      const name = e.target.elements.name.value.trim();
      if (name !== "")
        go(["users", name]);
    } },
  }, [h("input", { attrs: { name: "name", id: "search", type: "search",
                            placeholder: "Go to a user",
                            "aria-label": "Go to a user" } })]),
                form(h, "user add", "New account …")],
  columns: (h, view) => [
    { title: "User", of: (x) => link(h, ["users", x.user], x.user) },
    { title: "Is", of: (x) => flags(h, x) },
    { title: "Waiting", number: true, of: (x) => number(total(x, "ready")) },
    { title: "In process", number: true,
      of: (x) => number(total(x, "in_flight")) },
    { title: "Turn", of: (x) => (x.queues || []).filter((q) => q.turn)
      .map((q) => `${q.turn} of ${q.turns} in ${q.queue}`).join(", ")
      || (x.queues || []).filter((q) => q.ready > 0)
        .map((q) => q.state.replaceAll("_", " ")).join(", ") || "–" },
    { title: "Turns taken", number: true,
      of: (x) => number(total(x, "turns_taken")) },
    { title: "Share | fair", of: (x) => share(h, x, view.document.users) },
    { title: "", of: (x) => (total(x, "ready") > 0
      ? link(h, ["users", x.user], "Why?") : "") },
  ],
});

export const User = {
  mixins: [Watching, Polling],
  computed: { name: () => state.route.path[1] },
  created() {
    if (api.find("user place"))
      this.poll("place", () => api.read("user place", { user: this.name }),
                8000);
    this.poll("recent", () => api.read("submission list", {
      user: this.name, limit: 10 }), 8000);
  },
  methods: {
    wants() {
      return state.route.path[0] === "users" && this.name
        ? { words: "user show", values: { name: this.name } } : null;
    },
    acts(h, x, changed) {
      const names = [x.user];
      return [
        x.held ? action(h, "Release", "user release", { names }, changed,
                        { kind: "main" })
               : action(h, "Hold", "user hold", { names }, changed),
        x.prohibited
          ? action(h, "Allow", "user allow", { names }, changed,
                   { kind: "main" })
          : action(h, "Prohibit", "user prohibit", { names }, changed,
                   { kind: "danger" }),
        form(h, "user set", "Limits …", { names: x.user }),
        x.account ? form(h, "user password", "Password …",
                         { name: x.user }) : null,
      ];
    },
    why(h, x, changed) {
      const waits = x.queues.filter((q) => q.ready > 0
                                           || q.state === "at_cap"
                                           || (q.pending || 0) > q.in_flight);
      if (waits.length === 0)
        return card(h, "Why does it wait?", [
          h("p", "Nothing of it waits now.")]);
      return card(h, "Why does it wait?", waits.map((queue) =>
        h("div", { key: queue.queue }, [
          h("h3", [link(h, ["queues", queue.queue], queue.queue),
                   ` · ${number(queue.ready || queue.pending)} wait`]),
          h(WhyUser, { props: { user: x.user, queue, then: changed } }),
        ])));
    },
    queues(h, x) {
      return card(h, "In its queues", [table(h, {
        label: "Queues of the user", rows: x.queues, key: (q) => q.queue,
        empty: "No queue knows it.",
        columns: [
          { title: "Queue", of: (q) => link(h, ["queues", q.queue], q.queue) },
          { title: "State", of: (q) => tag(h, q.state.replaceAll("_", " "),
            q.state === "eligible" ? "ok" : "") },
          { title: "Turn", number: true, of: (q) => (q.turn
            ? `${q.turn} of ${q.turns}` : "–") },
          { title: "Waiting", number: true, of: (q) => number(q.ready) },
          { title: "In process", number: true, of: (q) =>
            `${number(q.in_flight)}${q.concurrency === null ? ""
              : ` of ${q.concurrency}`}` },
          { title: "Taken", number: true, of: (q) => number(q.turns_taken) },
          { title: "Turns at once", number: true,
            of: (q) => number(q.allocation) },
          { title: "Pending", number: true, of: (q) =>
            `${number(q.pending)}${q.pending_limit === null ? ""
              : ` of ${number(q.pending_limit)}`}` },
        ],
      })]);
    },
    recent(h) {
      const found = this.polled.recent;
      if (!found || found.problem)
        return null;
      return card(h, "Latest submissions", [table(h, {
        label: "Latest submissions", rows: found.submissions,
        key: (s) => s.id, empty: "It has sent nothing.",
        columns: [
          { title: "Number", number: true, of: (s) =>
            link(h, ["submissions", String(s.id)], String(s.id)) },
          { title: "File", of: (s) => s.file_name },
          { title: "State", of: (s) => (s.failed ? tag(h, "failed", "bad")
            : tag(h, s.parked ? "parked" : s.status.replaceAll("_", " "),
                  s.status === "completed" ? "ok" : "")) },
          { title: "Received", of: (s) => s.received_at.slice(0, 19)
            .replace("T", " ") },
        ],
      })], { side: link(h, "submissions", "All of them",
                        { user: this.name }) });
    },
  },
  render(h) {
    const missing = this.missing(h);
    if (missing)
      return h("div", [heading(h, this.name), missing]);
    const x = this.document;
    const changed = () => this.refresh();
    const place = this.polled.place;
    const stands = place && !place.problem && (place.queues || []).length > 0;
    return h("div", [
      heading(h, x.user, this.acts(h, x, changed)),
      h("p", flags(h, x)),
      this.why(h, x, changed),
      stands ? card(h, "Where it stands", [places(h, place)]) : null,
      this.queues(h, x),
      x.limits && x.limits.length > 0 ? card(h, "Limits of its own", [
        pairs(h, x.limits.map((one) => [one.queue || "all queues",
          `${number(one.allocation)} turns at once, ${
            one.concurrency ?? "any number"} in process`]))]) : null,
      this.recent(h),
    ]);
  },
};

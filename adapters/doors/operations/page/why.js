// Why something waits, as a sentence, and what to do about it.

import * as api from "./api.js";
import { action, link, table, trouble } from "./parts.js";

/// Buttons for a reason, as the engine spells it.
export function remedies(h, reason, x, then) {
  const users = x.user ? [x.user] : [];
  switch (reason) {
    case "held":
      return [action(h, `Release ${x.user}`, "user release", { names: users },
                     then, { kind: "main" })];
    case "prohibited":
      return [action(h, `Allow ${x.user}`, "user allow", { names: users },
                     then, { kind: "main" })];
    case "server_suspended":
      return [action(h, "Resume the engine", "resume", {}, then,
                     { kind: "main" })];
    case "queue_suspended":
      return [action(h, `Resume ${x.queue}`, "queue resume",
                     { name: x.queue }, then, { kind: "main" })];
    case "parked":
      return [action(h, `Take back what ${x.user} has parked`, "unpark",
                     { users }, then, { kind: "main" })];
    case "at_cap":
    case "no_allocation":
      return [link(h, ["do", "user", "set"], "Change its limits",
                   { names: x.user, queue: x.queue })];
    case "no_processor":
    case "no_matching_processor":
    case "no_processor_on_node":
      return [link(h, "processors", "Look at the processors")];
    case "turn":
      return [link(h, ["queues", x.queue], "Look at the ring")];
    default:
      return [];
  }
}

/// The document of `submission why`.
export function whySentence(h, x, then) {
  const reasons = x.reasons && x.reasons.length > 0
    ? x.reasons : [{ reason: x.reason, text: x.text }];
  return h("div", { class: "why", attrs: { role: "status" } }, reasons.map(
    (one) => h("div", { class: "reason" }, [
      h("p", sentence(one.text, x.user)),
      h("div", { class: "acts" }, remedies(h, one.reason, x, then)),
    ])));
}

/// With a capital, unless it begins with the name of a user.
export function sentence(text, user = "") {
  const x = String(text || "").trim();
  if (x === "")
    return "";
  const named = user !== "" && x.startsWith(`${user} `);
  return `${named ? x : x.charAt(0).toUpperCase() + x.slice(1)}${
    /[.!?]$/.test(x) ? "" : "."}`;
}

/// The state of a user in a queue in words; what `user show` knows.
const states = {
  eligible: "It waits for its turn.",
  held: "It is held by an operator.",
  prohibited: "It is prohibited.",
  nothing_ready: "It has nothing that could be handed out.",
  at_cap: "It has as much in process as it may have.",
  no_allocation: "Its allocation is 0.",
};

/// Why a user waits in a queue: asked of a submission of it that waits, where
/// there is one; else of the ring.
export const WhyUser = {
  props: { user: String, queue: Object, then: Function },
  data: () => ({ found: null, problem: null }),
  created() {
    this.$watch(() => JSON.stringify([this.user, this.queue.queue,
                                      this.queue.state, this.queue.ready]),
                this.look, { immediate: true });
  },
  methods: {
    async look() {
      const { user } = this;
      const queue = this.queue.queue;
      try {
        const list = await api.read("submission list", {
          user, queue, status: "queued", limit: 20 });
        const waits = list.submissions.filter((x) => !x.parked).pop()
          || list.submissions[0];
        this.found = waits
          ? await api.read("submission why", { id: waits.id, user })
          : await this.inRing(user, queue);
        this.problem = null;
      } catch (problem) {
        this.problem = problem;
      }
    },
    async inRing(user, queue) {
      if (!api.find("queue ring"))
        return null;
      const ring = await api.read("queue ring", { name: queue, limit: 1000 });
      const one = ring.users.find((x) => x.user === user);
      return one && !one.eligible && (one.why || []).length > 0
        ? { user, queue, reasons: one.why.map((text) => ({ text })) } : null;
    },
    changed() {
      this.look();
      if (this.then)
        this.then();
    },
  },
  render(h) {
    if (this.problem)
      return trouble(h, this.problem);
    if (this.found)
      return h("div", [whySentence(h, this.found, this.changed),
        this.found.id ? h("p", { class: "quiet" }, [
          "As submission ", link(h, ["submissions", String(this.found.id)],
                                 `${this.found.id}`), " sees it."]) : null]);
    const state = this.queue.state;
    return h("div", { class: "why", attrs: { role: "status" } }, [
      h("div", { class: "reason" }, [
        h("p", states[state] || `Its state is ${state}.`),
        h("div", { class: "acts" },
          remedies(h, state, { user: this.user, queue: this.queue.queue },
                   this.changed))])]);
  },
};

/// Where a user stands: the document of `user place`.
export function places(h, x) {
  return table(h, {
    label: "Place in the rings", rows: x.queues || [],
    empty: "It waits in no queue.",
    columns: [
      { title: "Queue", of: (q) => link(h, ["queues", q.queue], q.queue) },
      { title: "Place", number: true, of: (q) => String(q.place ?? "–") },
      { title: "Users before", number: true,
        of: (q) => String(q.users_before ?? "–") },
      { title: "Waiting", number: true, of: (q) => String(q.waiting ?? "–") },
      { title: "An hour", number: true,
        of: (q) => (q.rate_per_hour === null || q.rate_per_hour === undefined
          ? "–" : String(Math.round(q.rate_per_hour))) },
      { title: "Probably done by", of: (q) =>
        (typeof q.done_by === "string" ? q.done_by.slice(0, 16)
          .replace("T", " ") : "–") },
    ],
  });
}

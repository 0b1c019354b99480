// Batches, their jobs and stages, and what somebody has to look at.

import * as api from "./api.js";
import { deep } from "./forms.js";
import { form, listView } from "./lists.js";
import { Watching, action, card, heading, link, pairs, table, tag }
  from "./parts.js";
import { state } from "./state.js";
import { sentence } from "./why.js";

const good = new Set(["completed", "success"]);
const bad = new Set(["failed", "deleted", "held", "failure"]);

export function stateTag(h, x) {
  return tag(h, x, good.has(x) ? "ok" : bad.has(x) ? "bad" : "");
}

const at = (path) => (h) => (_, id) => link(h, [path, id], id);

export const Batches = listView({
  title: "Batches", words: "batch list", path: "batches",
  filters: ["user", "collection", "state"], opens: at("batches"),
  acts: (h) => [link(h, "jobs", "Jobs"), link(h, "review", "Review")],
});

export const Jobs = listView({
  title: "Jobs", words: "job list", path: "jobs",
  filters: ["batch", "user", "collection", "state", "needs_review",
            "identifier"],
  opens: at("jobs"),
  acts: (h) => [form(h, "job hold", "Hold many …"),
                form(h, "job release", "Release many …"),
                form(h, "job requeue", "Requeue many …")],
});

export const Review = listView({
  title: "Review", words: "review list", path: "review",
  intro: "Jobs that failed and that somebody must look at.",
  filters: ["collection", "user"], opens: at("jobs"),
});

/// Flat fields first; what is a list of objects becomes a table of its own.
function details(h, x, but) {
  const flat = [];
  const lists = [];
  for (const [key, value] of Object.entries(x)) {
    if (but.includes(key))
      continue;
    const title = key.replaceAll("_", " ");
    if (Array.isArray(value) && value.length > 0
        && value.every((one) => one !== null && typeof one === "object"))
      lists.push([title, value]);
    else
      flat.push([title, [deep(h, value)]]);
  }
  return [
    card(h, "What it is", [pairs(h, flat)]),
    ...lists.map(([title, rows]) => card(h, title, [table(h, {
      label: title, rows, columns: Object.keys(rows[0]).map((key) => ({
        title: key.replaceAll("_", " "),
        of: (row) => (key === "state" || key === "status"
          ? stateTag(h, String(row[key])) : deep(h, row[key])),
      })),
    })])),
  ];
}

/// The stages that a job goes through, and how far it is.
function stages(h, x, pipeline) {
  if (!pipeline || !pipeline.stages)
    return null;
  const found = pipeline.stages.findIndex((s) => x.queue
                                                 && s.queue === x.queue);
  const here = found >= 0 ? found
    : pipeline.stages.findIndex((s) => s.state === x.state);
  const done = good.has(x.state);
  return card(h, "Stages", [h("ol", { class: "stages" },
    pipeline.stages.map((s, i) => h("li", {
      class: { done: done || i < here, here: !done && i === here,
               fails: i === here && x.state === "failed" },
      attrs: { "aria-current": !done && i === here ? "step" : null },
    }, [h("strong", s.name), h("small", s.state)])))]);
}

/// One job or one batch.
function one(kind, path, words, acts) {
  return {
    mixins: [Watching],
    data: () => ({ why: null, pipeline: null }),
    computed: { id: () => state.route.path[1] },
    watch: {
      document(now) {
        if (now)
          this.more(now);
      },
    },
    methods: {
      wants() {
        return state.route.path[0] === path && this.id
          ? { words: `${words} show`, values: { id: this.id } } : null;
      },
      async more(now) {
        const asked = async (command, values) => (api.find(command)
          ? api.read(command, values).catch(() => null) : null);
        if (!good.has(now.state))
          this.why = await asked(`${words} why`, { id: this.id });
        if (now.pipeline && !this.pipeline)
          this.pipeline = await asked("pipeline show", { name: now.pipeline });
      },
      changed() {
        this.refresh();
      },
    },
    render(h) {
      const title = `${kind} ${this.id}`;
      const missing = this.missing(h);
      if (missing)
        return h("div", [heading(h, title), missing]);
      const x = this.document;
      const reasons = this.why && this.why.reasons ? this.why.reasons : [];
      return h("div", [
        heading(h, title, acts(h, this.id, this.changed)),
        reasons.length > 0 && !good.has(x.state)
          ? card(h, "Why is it not finished yet?", [
            h("div", { class: "why" }, reasons.map(
              (r) => h("p", sentence(r.text))))]) : null,
        stages(h, x, this.pipeline),
        ...details(h, x, ["id"]),
      ]);
    },
  };
}

export const Job = one("Job", "jobs", "job", (h, id, then) => [
  action(h, "Hold", "job hold", { id }, then),
  action(h, "Release", "job release", { id }, then),
  action(h, "Requeue", "job requeue", { id }, then),
  action(h, "Fail …", "job fail", { id }, then, { kind: "danger" }),
  form(h, "job note", "Note …", { id }),
]);

export const Batch = one("Batch", "batches", "batch", (h, id, then) => [
  link(h, "jobs", "Its jobs", { batch: id }),
  action(h, "Hold", "batch hold", { id }, then),
  action(h, "Release", "batch release", { id }, then),
  action(h, "Delete …", "batch delete", { id }, then, { kind: "danger" }),
]);

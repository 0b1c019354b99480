// Lists that the engine gives by pages, with filters; each of a few lines.

import * as api from "./api.js";
import { number } from "./cells.js";
import { blocks } from "./command_view.js";
import { Fields, valueOf } from "./forms.js";
import { Watching, card, heading, link, pager, table, tag, trouble,
         action } from "./parts.js";
import { go, state } from "./state.js";

/// What of an address are arguments of the command.
function argumentsOf(row, query) {
  const out = {};
  for (const x of row.arguments)
    if (query[x.key] !== undefined && query[x.key] !== "")
      out[x.key] = query[x.key];
  return out;
}

/// A view of a list: `rows(document)` and `columns(h, view)`, or neither: then
/// the engine's own view is shown, its first column leading to `opens`. Besides
/// `filters` (keys of arguments), `acts(h, view)`, `more(h, document, view)`,
/// `page` (how many), `absent` (what is said if the engine has no such thing).
export function listView(x) {
  const path = x.path;
  return {
    mixins: [Watching],
    data: () => ({ given: {} }),
    created() {
      this.$watch(() => state.route.query, (query) => {
        this.given = { ...query };
      }, { immediate: true });
    },
    computed: {
      row: () => api.find(x.words),
      filters() {
        return this.row.arguments.filter(
          (one) => (x.filters || []).includes(one.key));
      },
    },
    methods: {
      wants() {
        if (!this.row || state.route.path[0] !== path)
          return null;
        const values = argumentsOf(this.row, state.route.query);
        if (this.row.arguments.some((one) => one.key === "limit"))
          values.limit = values.limit || x.page || 50;
        return { words: x.words, values };
      },
      async apply(event) {
        event.preventDefault();
        const query = {};
        try {
          for (const one of this.filters) {
            const value = await valueOf(one, this.given[one.key], true);
            if (value !== undefined)
              query[one.key] = value;
          }
          go(path, query);
        } catch (problem) {
          this.problem = problem;
        }
      },
      filterForm(h) {
        if (this.filters.length === 0)
          return null;
        return h("form", { class: "filters", attrs: { role: "search" },
                           on: { submit: this.apply } }, [
          h(Fields, { props: { row: { arguments: this.filters },
                               given: this.given },
                      on: { input: (all) => { this.given = all; } } }),
          h("button", { attrs: { type: "submit" } }, "Filter"),
          link(h, path, "Clear"),
        ]);
      },
    },
    render(h) {
      if (!this.row)
        return h("div", [heading(h, x.title), h("p", x.absent
          || "This engine has no such command.")]);
      const missing = this.missing(h);
      return h("div", [
        heading(h, x.title, x.acts ? x.acts(h, this) : []),
        x.intro ? h("p", { class: "quiet" }, x.intro) : null,
        this.filterForm(h),
        missing || card(h, "", [
          this.problem ? trouble(h, this.problem) : null,
          ...(x.rows ? [table(h, {
            label: x.title, rows: x.rows(this.document), empty: x.empty,
            columns: x.columns(h, this), key: x.key,
          })] : blocks(h, this.row.view.filter((one) => one.when !== "next"),
                       this.document, x.opens && x.opens(h))),
          pager(h, this.document, state.route, path),
        ], { label: x.title }),
        !missing && x.more ? x.more(h, this.document, this) : null,
      ]);
    },
  };
}

/// A link to the form of a command.
export function form(h, words, text, query) {
  return api.find(words) ? h("a", {
    class: "button", attrs: { href: `#/do/${words.split(" ")
      .map(encodeURIComponent).join("/")}${query
      ? `?${api.query_of(query)}` : ""}` },
  }, text) : null;
}

/// The same of what shows one thing by the views of the engine.
export function shows(h, words, key, value) {
  return link(h, ["do", ...words.split(" ")], value, { [key]: value });
}

const count = (title, key) => ({
  title, number: true, of: (x) => number(x[key]) });
const text = (title, key) => ({
  title, of: (x) => (x[key] === null || x[key] === undefined
    || x[key] === "" ? "–" : String(x[key])) });

/// First columns that lead to the form of a command, which asks at once.
const toCommand = (words, key) => (h) => (_, name) =>
  shows(h, words, key, name);

export const Collections = listView({
  title: "Collections", words: "collection list", path: "collections",
  opens: toCommand("collection show", "name"),
  acts: (h) => [form(h, "collection add", "New collection …")],
});

export const Pipelines = listView({
  title: "Pipelines", words: "pipeline list", path: "pipelines",
  opens: toCommand("pipeline show", "name"),
});

export const Keys = listView({
  title: "API keys", words: "key list", path: "keys",
  acts: (h) => [form(h, "key add", "New key …"),
                form(h, "key remove", "Remove …")],
});

export const Deletions = listView({
  title: "Requests for deletion", words: "deletion list", path: "deletions",
  filters: ["user", "state"], opens: toCommand("deletion show", "reference"),
});

export const Objects = listView({
  title: "Objects", words: "object list", path: "objects",
  filters: ["collection", "owner", "identifier", "local_id", "title",
            "file_name"],
  opens: toCommand("object show", "identifier"),
});

export const Shards = listView({
  title: "Shards and leases", words: "shards", path: "shards",
  intro: "Which engine has which shard, and until when.",
});

export const Kafka = listView({
  title: "Kafka", words: "kafka status", path: "kafka",
  intro: "What was read and published, how far behind, and dead letters.",
  acts: (h) => [link(h, "dead-letters", "Dead letters"),
                form(h, "kafka init", "Create the topics …")],
});

export const DeadLetters = listView({
  title: "Dead letters", words: "deadletter list", path: "dead-letters",
  filters: ["key", "text"], opens: toCommand("deadletter show", "id"),
  acts: (h) => [form(h, "deadletter replay", "Write again …")],
});

export const Settings = listView({
  title: "Settings", words: "settings", path: "settings",
  absent: "This engine has no command that lists its settings; they stand in "
    + "its file, and what changes at run time has commands.",
});

export const Audit = listView({
  title: "Audit", words: "audit list", path: "audit",
  filters: ["text"],
  absent: "This engine has no command that lists its audit log.",
});

export const Sources = listView({
  title: "Sources", words: "source list", path: "sources",
  rows: (x) => x.sources, key: (x) => x.name, empty: "There are no sources.",
  acts: (h) => [form(h, "source add", "New source …"),
                link(h, "schedulers", "Schedulers and strategies")],
  columns: (h, view) => [
    { title: "Source", of: (x) => shows(h, "source show", "name", x.name) },
    text("Kind", "kind"),
    { title: "Scheduler", of: (x) => shows(h, "scheduler show", "name",
                                           x.scheduler) },
    { title: "State", of: (x) => tag(h, x.state, x.state === "running"
      ? "ok" : "bad") },
    { title: "Buffer", number: true,
      of: (x) => `${number(x.buffer)} / ${number(x.capacity)}` },
    count("In flight", "in_flight"), count("Done", "done"),
    count("Failures", "failures"), count("Bad", "bad"),
    text("Error", "error"),
    { title: "", of: (x) => (x.state === "paused"
      ? action(h, "Resume", "source resume", { name: x.name },
               () => view.refresh())
      : action(h, "Pause", "source pause", { name: x.name },
               () => view.refresh())) },
  ],
});

export const Schedulers = listView({
  title: "Schedulers and strategies", words: "scheduler list",
  path: "schedulers", rows: (x) => x.schedulers, key: (x) => x.name,
  empty: "There are no schedulers.",
  acts: (h) => [form(h, "scheduler add", "New scheduler …"),
                link(h, "sources", "Sources")],
  columns: (h) => [
    { title: "Scheduler", of: (x) => shows(h, "scheduler show", "name",
                                           x.name) },
    { title: "Queue", of: (x) => link(h, ["queues", x.queue], x.queue) },
    { title: "Strategy", of: (x) => h("code", x.strategy) },
    text("State", "state"), count("Low", "low"), count("High", "high"),
    count("Left", "left"), count("Fed", "fed"),
    { title: "Whose is next", of: (x) => link(
      h, ["do", "strategy", "explain"], "Explain", { name: x.name }) },
    { title: "", of: (x) => form(h, "strategy set", "Change …",
                                 { name: x.name, strategy: x.strategy }) },
  ],
});

export const Operators = listView({
  title: "Operators", words: "operator list", path: "operators",
  opens: toCommand("operator set", "name"),
  acts: (h) => [form(h, "operator add", "New operator …"),
                form(h, "operator token list", "Tokens"),
                form(h, "operator token add", "New token …"),
                form(h, "operator renew", "My password …")],
});

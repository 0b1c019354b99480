// Any command of the table: its form, its answer by the views that the engine
// publishes, and all of them in a list.

import * as api from "./api.js";
import { partsOf } from "./cells.js";
import { Fields, deep, requestsOf } from "./forms.js";
import { link, heading, card, pairs, table, trouble } from "./parts.js";
import { run, say, spelled, state, to, mayChange } from "./state.js";

/// A document as nodes. `first(row, text)`: what stands in the first column.
export function blocks(h, view, document, first) {
  return partsOf(view, document).map((part) => {
    switch (part.kind) {
      case "table":
        return table(h, {
          label: "Answer", rows: part.rows,
          columns: part.columns.map((x, i) => ({
            title: x.title.replace(/^>/, ""), number: x.title.startsWith(">"),
            of: (row) => (i === 0 && first
              ? first(row.of, row.cells[0]) : row.cells[i]),
          })),
        });
      case "pairs":
        return pairs(h, part.pairs.map((x) => [x.title, [deep(h, x.value)]]));
      case "lines":
        return h("div", { class: "lines" },
                 part.lines.map((x) => h("p", x)));
      default:
        return h("pre", part.text);
    }
  });
}

/// Where a row of a list leads to: "queue list" to "queue show".
export function opens(h, words) {
  const row = api.find(words.replace(/ list$/, " show"));
  if (!row || !words.endsWith(" list"))
    return null;
  const key = row.arguments[0] && row.arguments[0].key;
  return (of, text) => (text === "-" || text === ""
    ? text : link(h, ["do", ...row.words.split(" ")], text, { [key]: text }));
}

export const CommandView = {
  data: () => ({ given: {}, problem: null, document: null, running: false }),
  computed: {
    words() {
      return state.route.path.slice(1).join(" ");
    },
    row() {
      return api.find(this.words);
    },
    /// Reading needs no button if all that is needed is there.
    complete() {
      return this.row && this.row.reads && this.row.arguments.every(
        (x) => !x.required || (this.given[x.key] || "") !== "");
    },
  },
  watch: {
    words: { immediate: true, handler: "begin" },
  },
  created() {
    this.$watch(() => JSON.stringify(state.route.query), this.begin);
  },
  methods: {
    begin() {
      this.given = { ...state.route.query };
      this.document = null;
      this.problem = null;
      if (this.complete)
        this.submit();
    },
    async submit() {
      this.problem = null;
      this.running = true;
      const row = this.row;
      try {
        for (const values of await requestsOf(row, this.given)) {
          const document = row.reads ? await api.read(row.words, values)
                                     : await run(row.words, values);
          if (document === null)
            break;
          if (this.row === row)
            this.document = Object.freeze(document);
          if (!row.reads)
            say(`${spelled(row.words, values)}: done.`);
        }
      } catch (problem) {
        this.problem = problem;
      } finally {
        this.running = false;
      }
    },
    following(h) {
      const next = this.document.next;
      if (next === undefined || next === null || !this.row.arguments.some(
        (x) => x.key === "after"))
        return null;
      return h("nav", { class: "pager" }, [
        link(h, ["do", ...this.words.split(" ")], "Next page →",
             { ...state.route.query, after: next })]);
    },
  },
  render(h) {
    const row = this.row;
    if (!row)
      return h("div", [heading(h, "No such command"),
                       h("p", [link(h, "do", "All commands")])]);
    const forbidden = !row.reads && !mayChange();
    const form = h("form", {
      on: { submit: (e) => {
        e.preventDefault();
        this.submit();
      } },
    }, [
      h(Fields, { props: { row, given: this.given },
                  on: { input: (x) => { this.given = x; } } }),
      this.problem ? trouble(h, this.problem) : null,
      h("button", {
        class: row.question ? "danger" : "main",
        attrs: { type: "submit", disabled: this.running || forbidden },
      }, row.reads ? "Show" : row.question ? `${row.words} …` : row.words),
      forbidden ? h("p", { class: "quiet" },
                    "Your role looks only.") : null,
    ]);
    return h("div", [
      heading(h, row.words, [link(h, "do", "All commands")]),
      h("p", { class: "quiet" }, row.help),
      row.arguments.length > 0 || !row.reads
        ? card(h, "", [form], { label: "Arguments" }) : null,
      this.problem && row.arguments.length === 0 && row.reads
        ? trouble(h, this.problem) : null,
      this.document ? card(h, "", [
        ...blocks(h, row.view, this.document, opens(h, row.words)),
        this.following(h),
        h("details", [h("summary", "As JSON"),
                      h("pre", JSON.stringify(this.document, null, 2))]),
      ], { label: "Answer" }) : null,
    ]);
  },
};

export const CommandList = {
  data: () => ({ filter: "" }),
  render(h) {
    const wanted = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = state.table.list.filter((x) => wanted.every((word) =>
      `${x.words} ${x.help} ${x.alias}`.toLowerCase().includes(word)));
    const groups = new Map();
    for (const x of rows) {
      const word = x.words.includes(" ") ? x.words.split(" ")[0] : "engine";
      groups.set(word, [...(groups.get(word) || []), x]);
    }
    const help = Object.fromEntries(state.table.groups.map(
      (x) => [x.word, x.help]));
    return h("div", [
      heading(h, "Commands"),
      h("p", { class: "quiet" },
        "All that the shell can do, with the same questions before it."),
      h("input", {
        class: "search", attrs: { type: "search", id: "search",
                                  placeholder: "Find a command",
                                  "aria-label": "Find a command" },
        domProps: { value: this.filter },
        on: { input: (e) => { this.filter = e.target.value; } },
      }),
      h("div", { class: "grid" }, [...groups].map(([word, list]) =>
        card(h, help[word] || "The engine", [h("ul", { class: "plain" },
          list.map((x) => h("li", [
            h("a", { attrs: { href: to(["do", ...x.words.split(" ")]),
                              title: x.help } }, x.words),
            x.reads ? null : h("span", { class: "tag" }, "changes"),
            h("small", x.help)])))]))),
    ]);
  },
};

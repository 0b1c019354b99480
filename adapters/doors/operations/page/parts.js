// Small pieces that views are made of. All text is put as text nodes.

import * as api from "./api.js";
import { number, duration } from "./cells.js";
import { run, say, state, to, mayChange } from "./state.js";

export function link(h, path, text, query) {
  return h("a", { attrs: { href: to(path, query) } }, text);
}

export function tag(h, text, kind = "") {
  return h("span", { class: ["tag", kind] }, text);
}

export function heading(h, text, more = []) {
  return h("header", { class: "head" }, [
    h("h1", { attrs: { tabindex: "-1", id: "title" } }, text),
    h("div", { class: "acts" }, more),
  ]);
}

export function card(h, title, inside, more = {}) {
  return h("section", {
    class: ["card", more.class],
    attrs: { "aria-label": title && typeof title === "string"
      ? title : more.label },
  }, [
    title ? h("h2", [title, more.side || null]) : null,
    ...(Array.isArray(inside) ? inside : [inside]),
  ]);
}

/// "Title  value" pairs; a value is text or nodes.
export function pairs(h, list) {
  return h("dl", { class: "pairs" }, list.filter(Boolean).flatMap(
    ([title, value]) => [
      h("dt", title),
      h("dd", Array.isArray(value) ? value : [value]),
    ]));
}

export function trouble(h, problem) {
  return h("p", { class: "trouble", attrs: { role: "alert" } },
           problem.message);
}

/// Columns are {title, of(row, h), number}; what `of` gives is text or nodes.
export function table(h, { columns, rows, label, empty, key }) {
  const head = columns.map((x) => h("th", {
    class: { number: x.number }, attrs: { scope: "col" },
  }, x.title));
  const body = rows.map((row, i) => h("tr", {
    key: key ? key(row) : i, class: row.look,
  }, columns.map((x) => {
    const found = x.of(row, h);
    return h("td", {
      class: { number: x.number }, attrs: { "data-title": x.title },
    }, Array.isArray(found) ? found : [found]);
  })));
  if (rows.length === 0)
    body.push(h("tr", [h("td", {
      class: "empty", attrs: { colspan: columns.length },
    }, empty || "Nothing here.")]));
  return h("div", {
    class: "scroll", attrs: { tabindex: "0", role: "region",
                              "aria-label": label },
  }, [
    h("table", [
      h("caption", { class: "unseen" }, label),
      h("thead", [h("tr", head)]), h("tbody", body),
    ]),
  ]);
}

export const busy = (h) =>
  h("p", { class: "quiet", attrs: { role: "status" } }, "Asking …");

/// A button that runs a command, with the engine's question before it.
export const Action = {
  props: { words: String, values: Object, label: String, kind: String,
           then: Function, hint: String },
  data: () => ({ running: false }),
  methods: {
    async press() {
      this.running = true;
      try {
        const done = await run(this.words, this.values || {});
        if (done !== null) {
          say(`${this.label}: done.`);
          if (this.then)
            this.then(done);
        }
      } catch (problem) {
        say(`${this.label}: ${problem.message}`, true);
      } finally {
        this.running = false;
      }
    },
  },
  render(h) {
    if (!mayChange() || !api.find(this.words))
      return h();
    return h("button", {
      class: [this.kind || "plain"],
      attrs: { type: "button", disabled: this.running,
               title: this.hint || api.find(this.words).help },
      on: { click: this.press },
    }, this.label);
  },
};

export function action(h, label, words, values, then, more = {}) {
  return h(Action, { key: `${words}/${label}`,
                     props: { label, words, values, then, ...more } });
}

/// A document that is kept up to date: `this.document`, `this.problem`. Views
/// say with `wants()` what they look at: {words, values}, or null.
export const Watching = {
  data: () => ({ document: null, problem: null }),
  created() {
    this.ended = () => {};
    this.$watch(() => {
      const x = this.wants();
      return x ? JSON.stringify([x.words, x.values || {}]) : "";
    }, (now) => this.begin(now), { immediate: true });
  },
  beforeDestroy() {
    this.ended();
  },
  methods: {
    begin(what) {
      this.ended();
      this.document = null;
      this.problem = null;
      if (what === "")
        return;
      const [words, values] = JSON.parse(what);
      this.ended = api.watch(words, values, (document) => {
        this.document = Object.freeze(document);
        this.problem = null;
      }, (link, problem) => {
        state.link = link;
        if (problem && problem.status !== 0)
          this.problem = problem;
      });
    },
    /// After a change: what is shown is asked for once more, at once.
    async refresh() {
      const x = this.wants();
      if (!x)
        return;
      try {
        this.document = Object.freeze(await api.read(x.words, x.values || {}));
      } catch (problem) {
        this.problem = problem;
      }
    },
    /// Something in place of what is not there yet, or null.
    missing(h) {
      if (this.problem && !this.document)
        return trouble(h, this.problem);
      return this.document ? null : busy(h);
    },
  },
};

/// Asks again every few seconds: `this.polled` by name. For what stands beside
/// the one document that is watched.
export const Polling = {
  data: () => ({ polled: {} }),
  created() {
    this.timers = [];
  },
  beforeDestroy() {
    this.timers.forEach(clearInterval);
    this.timers = null;
  },
  methods: {
    poll(name, asks, every_ms) {
      const once = async () => {
        if (document.hidden)
          return;
        try {
          const found = await asks();
          if (this.timers !== null)
            this.$set(this.polled, name, Object.freeze(found));
        } catch (problem) {
          // What was known stays; the next look may succeed.
          if (!this.polled[name] && this.timers !== null)
            this.$set(this.polled, name, { problem });
        }
      };
      once();
      this.timers.push(setInterval(once, every_ms));
    },
  },
};

/// A list of the engine by pages: the cursors of those before are kept in the
/// address, so that Back and links work.
export function pager(h, document, route, path) {
  const query = { ...route.query };
  const before = (query.before || "").split(" ").filter(Boolean);
  const out = [];
  if (query.after !== undefined) {
    const back = { ...query };
    const previous = before[before.length - 1];
    back.before = before.slice(0, -1).join(" ");
    back.after = previous === "-" ? "" : previous;
    out.push(link(h, path, "← Previous page", back));
  }
  const next = document.next;
  if (next !== undefined && next !== null && next !== "")
    out.push(link(h, path, "Next page →", {
      ...query, after: next,
      before: [...before, query.after || "-"].slice(-50).join(" "),
    }));
  return h("nav", { class: "pager", attrs: { "aria-label": "Pages" } }, out);
}

// -- pictures -----------------------------------------------------------------

/// The last hour as a line; null leaves a gap.
export function sparkline(h, values, label) {
  const width = 240;
  const height = 44;
  const known = values.filter((x) => x !== null);
  const top = Math.max(1e-9, ...known);
  const parts = [];
  let path = "";
  values.forEach((x, i) => {
    if (x === null) {
      path = "";
      return;
    }
    const at = `${(i * width / Math.max(1, values.length - 1)).toFixed(1)} ${
      (height - 3 - x / top * (height - 6)).toFixed(1)}`;
    if (path === "")
      parts.push(path = [`M${at}`]);
    else
      path.push(`L${at}`);
  });
  const line = parts.map((x) => x.join("")).join("");
  return h("svg", {
    class: "spark",
    attrs: { viewBox: `0 0 ${width} ${height}`, role: "img",
             preserveAspectRatio: "none", "aria-label": label },
  }, [
    h("line", { class: "base", attrs: { x1: 0, x2: width, y1: height - 3,
                                        y2: height - 3 } }),
    h("path", { attrs: { d: line, "vector-effect": "non-scaling-stroke" } }),
  ]);
}

export function figure(h, { title, value, unit, values, note, wrong }) {
  const known = (values || []).filter((x) => x !== null);
  const top = known.length ? Math.max(...known) : null;
  const show = unit === "s" ? duration : number;
  return h("section", { class: ["figure", { wrong }],
                        attrs: { "aria-label": title } }, [
    h("h2", title),
    h("p", { class: "value" }, [
      unit === "s" ? duration(value) : number(value),
      unit && unit !== "s" ? h("small", ` ${unit}`) : null,
    ]),
    values ? sparkline(h, values, `${title} in the last hour, at most ${
      show(top)}`) : null,
    h("p", { class: "note" }, [
      h("span", note || ""), h("span", top === null ? ""
                                                    : `top ${show(top)}`),
    ]),
  ]);
}

// A form for any command, made from the rows of its arguments.

import * as api from "./api.js";
import { partsOf } from "./cells.js";

/// The key of an argument in a request. The shell sends digests of what is
/// secret; over HTTP the engine makes them.
export function keyOf(argument) {
  switch (argument.kind) {
    case "password":
    case "optional_password":
      return "password";
    case "api_key":
      return "key";
    default:
      return argument.key;
  }
}

const units = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

function numberOf(argument, text) {
  if (!/^\d+$/.test(text))
    throw new Error(`${labelOf(argument)} must be a number, not ${text}`);
  return Number(text);
}

function timeOf(argument, text) {
  const at = Date.parse(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(at))
    throw new Error(`${labelOf(argument)} must be a time, not ${text}`);
  return at;
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

/// The value of a field as the engine takes it; undefined: not given.
export async function valueOf(argument, given, reads) {
  const text = typeof given === "string" ? given.trim() : given;
  if (text === undefined || text === null || text === "" || text === false
      || (Array.isArray(text) && text.length === 0))
    return undefined;
  switch (argument.kind) {
    case "number":
      return numberOf(argument, text);
    case "limit":
    case "limit_or_default":
      return /^(none|default)$/.test(text) ? text : numberOf(argument, text);
    case "bytes": {
      const unit = units[text.slice(-1).toLowerCase()];
      if (/^(none|default)$/.test(text))
        return text;
      return unit ? numberOf(argument, text.slice(0, -1)) * unit
                  : numberOf(argument, text);
    }
    case "time": {
      const at = timeOf(argument, text);
      return reads ? new Date(at).toISOString() : at * 1000;
    }
    case "expiry": {
      const days = /^(\d+)d$/.exec(text);
      return (days ? Date.now() + days[1] * 86_400_000
                   : timeOf(argument, text)) * 1000;
    }
    case "names":
    case "users":
      return text.split(/[\s,]+/).filter(Boolean);
    case "each":
      return text.split(/\n/).map((x) => x.trim()).filter(Boolean);
    case "password":
    case "optional_password":
      return given;
    case "file":
      return base64(text[0]);
    default:
      return text;
  }
}

export function labelOf(argument) {
  const name = argument.spelling.split(",").pop().replace(/^--/, "")
    .replace(/-stdin$/, "").replaceAll("-", " ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/// The requests of a filled form: one, or one for each of its files.
export async function requestsOf(row, given) {
  const values = {};
  let files = null;
  for (const x of row.arguments) {
    if (x.kind === "files") {
      files = Array.from(given[x.key] || []);
      continue;
    }
    const value = await valueOf(x, given[x.key], row.reads);
    if (value !== undefined)
      values[keyOf(x)] = value;
    else if (x.required)
      throw new Error(`${labelOf(x)} is needed`);
  }
  if (files === null)
    return [values];
  if (files.length === 0)
    throw new Error("A file is needed");
  return Promise.all(files.map(async (file) => ({
    ...values, file_name: file.name, content_base64: await base64(file),
  })));
}

/// What may stand in a field, as another command lists it: at most 200.
async function namesFrom(words) {
  const row = api.find(words);
  if (!row)
    return [];
  const limited = row.arguments.some((x) => x.key === "limit");
  const document = await api.read(words, limited ? { limit: 200 } : {});
  const part = partsOf(row.view, document).find((x) => x.kind === "table");
  return part ? [...new Set(part.rows.map((x) => x.cells[0]))]
    .filter((x) => x && x !== "-").slice(0, 200) : [];
}

/// Emits "input" with what was given, by the keys of the arguments.
export const Fields = {
  props: { row: Object, given: Object },
  data: () => ({ names: {} }),
  methods: {
    set(key, value) {
      this.$emit("input", { ...this.given, [key]: value });
    },
    async suggest(argument) {
      const from = argument.names_from;
      if (!from || this.names[from])
        return;
      this.$set(this.names, from, []);
      try {
        this.$set(this.names, from, await namesFrom(from));
      } catch (_) {
        // Without proposals the field still takes what is typed.
      }
    },
    choice(h, x, id) {
      const options = x.words.map((word) => h("option", {
        attrs: { value: word },
        domProps: { selected: this.given[x.key] === word },
      }, word));
      return h("select", {
        attrs: { id }, on: { change: (e) => this.set(x.key, e.target.value) },
      }, [h("option", { attrs: { value: "" } }, x.required ? "" : "(any)"),
          ...options]);
    },
    file(h, x, id) {
      return h("input", {
        attrs: { id, type: "file", multiple: x.kind === "files" },
        on: { change: (e) => this.set(x.key, Array.from(e.target.files)) },
      });
    },
    flag(h, x, id) {
      return h("input", {
        attrs: { id, type: "checkbox" },
        domProps: { checked: Boolean(this.given[x.key]) },
        on: { change: (e) => this.set(x.key, e.target.checked) },
      });
    },
    lines(h, x, id) {
      return h("textarea", {
        attrs: { id, rows: 3, placeholder: "one on each line" },
        domProps: { value: this.given[x.key] || "" },
        on: { input: (e) => this.set(x.key, e.target.value) },
      });
    },
    text(h, x, id) {
      const secret = /password|api_key/.test(x.kind);
      const hints = {
        limit: "number or none", limit_or_default: "number, none or default",
        bytes: "10k, 10m, 10g or none", names: "several: a, b",
        users: "several: a, b", time: "2026-03-01T06:00:00Z",
        expiry: "90d, or a time",
      };
      return h("input", {
        attrs: {
          id, type: secret ? "password"
                           : x.kind === "number" ? "number" : "text",
          min: x.kind === "number" ? x.min : null,
          max: x.kind === "number" ? x.max : null,
          list: x.names_from ? `${id}-names` : null,
          autocomplete: secret ? "new-password" : "off",
          spellcheck: "false", required: x.required,
          placeholder: x.kind === "number" && x.initial !== null
            ? String(x.initial) : hints[x.kind],
        },
        domProps: { value: this.given[x.key] || "" },
        on: { input: (e) => this.set(x.key, e.target.value),
              focus: () => this.suggest(x) },
      });
    },
    field(h, x) {
      const id = `field-${x.key}`;
      const kinds = { flag: this.flag, file: this.file, files: this.file };
      const make = kinds[x.kind]
        || (x.words.length > 0 && x.kind !== "each" ? this.choice
          : x.kind === "each" ? this.lines : this.text);
      return h("div", { class: ["field", x.kind], key: x.key }, [
        h("label", { attrs: { for: id } }, [
          labelOf(x), x.required ? h("abbr", {
            attrs: { title: "needed" } }, " *") : null]),
        make(h, x, id),
        h("small", x.words.length > 0 && x.kind === "each"
          ? `${x.help}: ${x.words.join(", ")}` : x.help),
        x.names_from ? h("datalist", { attrs: { id: `${id}-names` } },
          (this.names[x.names_from] || []).map((name) =>
            h("option", { attrs: { value: name } }))) : null,
      ]);
    },
  },
  render(h) {
    // Counting is what the question does by itself.
    return h("div", { class: "fields" }, this.row.arguments
      .filter((x) => x.key !== "count_only").map((x) => this.field(h, x)));
  },
};

/// A value of a document as text or, if it is deep, as JSON over lines.
export function deep(h, value) {
  if (value !== null && typeof value === "object"
      && (!Array.isArray(value) || value.some((x) => x !== null
                                                && typeof x === "object")))
    return h("pre", JSON.stringify(value, null, 2));
  return h("span", value === null || value === "" ? "-"
    : value === true ? "yes" : value === false ? "no"
    : Array.isArray(value) ? value.join(", ") || "-" : String(value));
}


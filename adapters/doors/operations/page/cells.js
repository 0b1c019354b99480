// Values of documents as the views of the table of commands name them: the
// same rules as those of the shell.

/// "-" for what is not there.
export function shown(x) {
  if (x === null || x === undefined)
    return "-";
  if (typeof x === "boolean")
    return x ? "yes" : "no";
  if (Array.isArray(x))
    return x.length === 0 ? "-" : x.map(shown).join(",");
  return typeof x === "object" ? JSON.stringify(x) : String(x);
}

/// What a path like "store.events" leads to; lists on the way are gone through.
export function valueAt(x, path) {
  if (Array.isArray(x))
    return x.map((one) => valueAt(one, path));
  const dot = path.indexOf(".");
  const key = dot < 0 ? path : path.slice(0, dot);
  if (x === null || typeof x !== "object" || !Object.hasOwn(x, key))
    return null;
  return dot < 0 ? x[key] : valueAt(x[key], path.slice(dot + 1));
}

export function isThere(x) {
  if (x === null || x === undefined || x === false || x === "")
    return false;
  return !(Array.isArray(x) && x.length === 0);
}

function oneValue(name, row) {
  const mark = name.search(/[:?]/);
  const path = mark < 0 ? name : name.slice(0, mark);
  const value = valueAt(row, path);
  if (mark < 0)
    return { text: shown(value), whole: isThere(value) || value === false };
  const how = name.slice(mark + 1);
  if (name[mark] === "?")
    return { text: value === true ? how || path : "-", whole: value === true };
  const all = Array.isArray(value) ? value : [];
  if (how === "count")
    return { text: String(all.length), whole: true };
  if (how === "sum")
    return {
      text: String(all.reduce((sum, one) => sum + (Number(one) || 0), 0)),
      whole: true,
    };
  let text = shown(value);
  if (how === "time" && text.length === 24)
    text = `${text.slice(0, 19)}Z`;
  return { text, whole: isThere(value) };
}

function joined(names, row) {
  const all = names.split(",");
  if (all.length === 1)
    return oneValue(names, row);
  const there = all.map((x) => oneValue(x, row)).filter((x) => x.whole);
  return there.length === 0
    ? { text: "-", whole: false }
    : { text: there.map((x) => x.text).join(","), whole: true };
}

/// The text of a cell like "{turn}/{turns}||-" in this row.
export function cellText(cell, row) {
  let text = "";
  for (const alternative of cell.split("||")) {
    let whole = true;
    text = alternative.replace(/\{([^}]*)\}/g, (_, names) => {
      const part = joined(names, row);
      whole = whole && part.whole;
      return part.text;
    });
    if (whole)
      break;
  }
  return text;
}

function rowsOf(block, document) {
  if (!block.rows)
    return [document];
  const all = valueAt(document, block.rows);
  const list = Array.isArray(all) ? all : [];
  if (!block.where)
    return list;
  const mark = block.where.indexOf("=");
  return list.filter((row) => shown(valueAt(row, block.where.slice(0, mark)))
                              === block.where.slice(mark + 1));
}

function addRows(to, block, document) {
  for (const row of rowsOf(block, document)) {
    const found = block.inner ? valueAt(row, block.inner) : null;
    const inner = Array.isArray(found) && found.length > 0 ? found : [null];
    inner.forEach((one, i) => {
      to.push({
        of: row,
        cells: block.columns.map((column) => {
          if (!block.inner)
            return cellText(column.cell, row);
          if (column.outer)
            return i === 0 ? cellText(column.cell, row) : "";
          return one === null ? "" : cellText(column.cell, one);
        }),
      });
    });
  }
}

function fieldsOf(document, but) {
  return Object.entries(document).filter(([key]) => key !== but)
    .map(([key, value]) => ({ title: key, value }));
}

/// What a document looks like by these view blocks: parts of the kinds table,
/// pairs, lines and text.
export function partsOf(view, document) {
  if (!view || view.length === 0)
    return [{ kind: "pairs", pairs: fieldsOf(document, "") }];
  const out = [];
  view.forEach((block, at) => {
    if (block.joins
        || (block.when && !isThere(valueAt(document, block.when))))
      return;
    switch (block.kind) {
      case "table": {
        const rows = [];
        addRows(rows, block, document);
        for (let i = at + 1; i < view.length && view[i].joins; ++i)
          addRows(rows, view[i], document);
        out.push({ kind: "table", columns: block.columns, rows });
        break;
      }
      case "pairs":
        out.push({
          kind: "pairs",
          pairs: block.columns.map((x) => ({
            title: x.title, value: cellText(x.cell, document),
          })),
        });
        break;
      case "line":
        out.push({
          kind: "lines",
          lines: rowsOf(block, document).map((x) => cellText(block.text, x)),
        });
        break;
      case "fields":
        out.push({ kind: "pairs", pairs: fieldsOf(document, block.text) });
        break;
      default:
        out.push({
          kind: "text", text: shown(valueAt(document, block.text)),
        });
    }
  });
  return out;
}

// -- numbers and times for people ---------------------------------------------

export function number(x) {
  return typeof x === "number" && Number.isFinite(x)
    ? x.toLocaleString("en", { maximumFractionDigits: x < 10 ? 1 : 0 })
    : "–";
}

/// "4 s", "3 min", "2 h 5 min", "6 d".
export function duration(seconds) {
  if (typeof seconds !== "number" || !Number.isFinite(seconds))
    return "–";
  const s = Math.max(0, Math.round(seconds));
  if (s < 60)
    return `${s} s`;
  if (s < 3600)
    return `${Math.floor(s / 60)} min`;
  const h = Math.floor(s / 3600);
  if (h < 48)
    return `${h} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(h / 24)} d`;
}

export function since(time) {
  const at = Date.parse(time || "");
  return Number.isNaN(at) ? "–" : duration((Date.now() - at) / 1000);
}

export function bytes(x) {
  if (typeof x !== "number")
    return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (x >= 1024 && at < units.length - 1) {
    x /= 1024;
    ++at;
  }
  return `${at === 0 ? x : x.toFixed(1)} ${units[at]}`;
}

/// "2026-11-24 01:35:54" in UTC.
export function clock(time) {
  return typeof time === "string" && time.length >= 19
    ? time.slice(0, 19).replace("T", " ") : "–";
}

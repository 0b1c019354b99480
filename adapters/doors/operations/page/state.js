// What all of the page knows, and where it is.

import * as api from "./api.js";

export const state = Vue.observable({
  session: null,      // whoever is logged in
  looked: false,      // whether it is known who that is
  table: null,        // of commands
  route: { path: [], query: {} },
  link: "waiting",    // of what is watched: live, waiting, asking
  notes: [],          // what has just happened, for a few seconds
  dialog: null,       // the question that is asked
  help: false,
});

// -- routes: #/queues/metadata?after=x ----------------------------------------

export function to(path, query = {}) {
  const tail = api.query_of(query);
  const parts = Array.isArray(path) ? path
                                    : path.split("/").filter(Boolean);
  const place = parts.map(encodeURIComponent).join("/");
  return `#/${place}${tail ? `?${tail}` : ""}`;
}

export function go(path, query = {}) {
  location.hash = to(path, query);
}

function decoded(x) {
  try {
    return decodeURIComponent(x);
  } catch (_) {
    return x;
  }
}

export function readRoute() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
  state.route = {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query || "")),
  };
}

// -- what has happened --------------------------------------------------------

let last = 0;

export function say(text, wrong = false) {
  const note = { id: ++last, text, wrong };
  state.notes.push(note);
  setTimeout(() => dismiss(note.id), wrong ? 12_000 : 5000);
}

export function dismiss(id) {
  state.notes = state.notes.filter((x) => x.id !== id);
}

/// Asks back; true if the answer is yes.
export function ask(question) {
  return new Promise((resolve) => {
    state.dialog = {
      ...question,
      done: (answer) => {
        state.dialog = null;
        resolve(answer);
      },
    };
  });
}

/// Runs a command and, if the engine asks back, the command again once the
/// answer is yes. Its document, or null if the answer is no.
export async function run(words, values = {}) {
  try {
    return await api.order(words, values);
  } catch (problem) {
    if (problem.status !== 428)
      throw problem;
    const sure = await ask({
      title: problem.message,
      text: spelled(words, values),
      count: problem.count,
    });
    return sure ? api.order(words, values, true) : null;
  }
}

/// A command as one would type it, but for what is secret.
export function spelled(words, values) {
  const row = api.find(words);
  let out = words;
  for (const x of (row ? row.arguments : [])) {
    const value = values[x.key];
    if (value === undefined || value === null || value === ""
        || /password|api_key|file/.test(x.kind))
      continue;
    const text = Array.isArray(value) ? value.join(",") : String(value);
    const name = x.spelling.split(",").pop();
    if (!name.startsWith("--"))
      out += ` ${text}`;
    else
      out += x.kind === "flag" ? ` ${name}` : ` ${name} ${text}`;
  }
  return out;
}

/// Whether the role of whoever is logged in lets this command be tried at all;
/// the engine decides, this only hides what would be refused.
export function mayChange() {
  return state.session !== null && state.session.role !== "look";
}

export async function enter(session) {
  state.session = session;
  if (session !== null)
    state.table = Object.freeze(await api.commands());
}

export function leave() {
  state.session = null;
  state.table = null;
}

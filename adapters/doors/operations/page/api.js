// What the page says to the engine. Nothing else here talks to a network.

export class Refused extends Error {
  constructor(status, document, retryAfter) {
    super(document.text || `The engine answered ${status}.`);
    this.status = status;
    this.code = document.error || "";
    this.count = document.count;
    this.retryAfter = retryAfter;
  }
}

const session = { csrf: "", gone: () => {} };
const patience = 35_000;
let known = null;

/// Called when the engine says that nobody is logged in.
export function whenLoggedOut(call) {
  session.gone = call;
}

async function document_of(answer) {
  const text = await answer.text();
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (_) {
    return { text: text.slice(0, 500).trim() };
  }
}

async function send(method, path, body, within = patience) {
  const options = {
    method, headers: {}, credentials: "same-origin", cache: "no-store",
    signal: AbortSignal.timeout(within),
  };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  if (method !== "GET" && session.csrf)
    options.headers["X-CSRF-Token"] = session.csrf;
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (problem) {
    throw new Refused(0, {
      error: "unreachable",
      text: problem.name === "TimeoutError"
        ? "The engine did not answer in time."
        : "The engine cannot be reached.",
    });
  }
  const document = await document_of(answer);
  if (answer.ok)
    return document;
  if (answer.status === 401 && path !== "/api/v1/session")
    session.gone();
  throw new Refused(answer.status, document,
                    answer.headers.get("Retry-After"));
}

function remember(document) {
  session.csrf = document.csrf || "";
  return document;
}

export async function logIn(name, password) {
  return remember(await send("POST", "/api/v1/session", { name, password }));
}

/// Whoever is logged in; null if nobody is.
export async function whoAmI() {
  try {
    return remember(await send("GET", "/api/v1/session"));
  } catch (problem) {
    if (problem.status === 401)
      return null;
    throw problem;
  }
}

export async function logOut() {
  try {
    await send("DELETE", "/api/v1/session");
  } finally {
    session.csrf = "";
    known = null;
  }
}

/// The table of commands, by their words.
export async function commands() {
  if (known === null) {
    const table = await send("GET", "/api/v1/commands");
    known = {
      groups: table.groups || [],
      list: table.commands,
      by: new Map(table.commands.map((x) => [x.words, x])),
    };
    for (const one of table.commands)
      if (one.alias && !known.by.has(one.alias))
        known.by.set(one.alias, one);
  }
  return known;
}

export function find(words) {
  return known === null ? undefined : known.by.get(words);
}

function path_of(words) {
  return `/api/v1/${words.split(" ").map(encodeURIComponent).join("/")}`;
}

/// Arguments as a query: what is empty is left out.
export function query_of(values) {
  const out = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === "")
      continue;
    for (const one of Array.isArray(value) ? value : [value])
      out.append(key, String(one));
  }
  return out.toString();
}

/// The answer of a command that changes nothing.
export function read(words, values = {}) {
  const query = query_of(values);
  return send("GET", path_of(words) + (query ? `?${query}` : ""), undefined,
              within_of(words));
}

/// The answer of any command. `confirmed`: its question was answered.
export function order(words, values = {}, confirmed = false) {
  const body = { ...values };
  if (confirmed)
    body.yes = true;
  return send("POST", path_of(words), body, within_of(words));
}

function within_of(words) {
  const row = find(words);
  return Math.max(patience, ((row && row.patience_s) || 30) * 1000 + 5000);
}

export function history() {
  return send("GET", "/api/v1/history");
}

/// Who is connected to NSQ's door.
export function nsqClients() {
  return send("GET", "/api/v1/nsq/clients");
}

/// Samples of /metrics of these names: {name: [{labels, value}]}.
export async function samples(names) {
  const answer = await fetch("/metrics", {
    signal: AbortSignal.timeout(patience), cache: "no-store",
  });
  return answer.ok ? parseSamples(await answer.text(), names) : {};
}

export function parseSamples(text, names) {
  const out = Object.fromEntries(names.map((x) => [x, []]));
  const form = /^([a-z_:0-9]+)(?:\{(.*)\})? (\S+)/i;
  const label = /([a-z_0-9]+)="((?:[^"\\]|\\.)*)"/gi;
  for (const line of text.split("\n")) {
    const found = line.startsWith("#") ? null : form.exec(line);
    if (!found || !Object.hasOwn(out, found[1]))
      continue;
    const labels = {};
    for (const one of (found[2] || "").matchAll(label))
      labels[one[1]] = one[2].replace(/\\(.)/g, (_, x) =>
        x === "n" ? "\n" : x);
    out[found[1]].push({ labels, value: Number(found[3]) });
  }
  return out;
}

/// Calls `use` with a command's document whenever it changes, and `state` with
/// "live", "waiting" or "asking"; returns what ends it. A browser has six
/// connections to a host, so a page has one of these at a time; what cannot be
/// watched is asked for again and again.
export function watch(words, values, use, state = () => {}) {
  const query = query_of({ command: words.replaceAll(" ", "/"), ...values });
  let source = null;
  let timer = null;
  let ended = false;
  let waited = 1000;
  const ask = async () => {
    try {
      const document = await read(words, values);
      if (!ended)
        use(document);
    } catch (problem) {
      if (ended || problem.status === 401)
        return;
      state("waiting", problem);
    }
    if (!ended)
      timer = setTimeout(ask, 5000);
  };
  const open = () => {
    source = new EventSource(`/api/v1/watch?${query}`);
    source.onmessage = (event) => {
      waited = 1000;
      state("live");
      use(JSON.parse(event.data));
    };
    // The stream goes on; the command may succeed later.
    source.addEventListener("refused", (event) => {
      state("live", new Refused(409, JSON.parse(event.data)));
    });
    source.onerror = () => {
      state("waiting");
      // Ended for good: refused (too many, not logged in), or the engine went.
      if (source.readyState !== EventSource.CLOSED)
        return;
      timer = setTimeout(again, waited);
      waited = Math.min(waited * 2, 15_000);
    };
  };
  const again = async () => {
    try {
      use(await read(words, values));
      if (!ended)
        open();
    } catch (problem) {
      if (ended || problem.status === 401)
        return;
      state("waiting", problem);
      timer = setTimeout(again, waited);
      waited = Math.min(waited * 2, 15_000);
    }
  };
  const hidden = () => {
    if (document.hidden) {
      if (source)
        source.close();
      source = null;
      clearTimeout(timer);
    } else if (!ended && source === null) {
      start();
    }
  };
  const start = () => (window.EventSource ? open() : ask());
  document.addEventListener("visibilitychange", hidden);
  start();
  return () => {
    ended = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", hidden);
    if (source)
      source.close();
  };
}

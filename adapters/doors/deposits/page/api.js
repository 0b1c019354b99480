// What the server is asked.

export const session = { csrf: "", name: "" };

export class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/// Of an answer that is none: some refusals are documents, some plain text.
export function refusal(status, text) {
  const { text: said, error, reason, line } = parsed(text);
  return new Refusal(status, (line ? `line ${line}: ` : "")
    + (said || reason || error || text.slice(0, 300)
      || `The server answered ${status}.`));
}

const known = new Map(); // what was answered last, by path

/// Null: nothing has changed since it was asked last.
export async function get(path) {
  const before = known.get(path);
  const answer = await fetch(`/deposits/${path}`, {
    credentials: "same-origin",
    cache: "no-store",
    headers: before ? { "If-None-Match": before } : {},
  });
  if (answer.status === 304) return null;
  const text = await answer.text();
  if (!answer.ok) throw refusal(answer.status, text);
  const tag = answer.headers.get("ETag");
  if (tag) known.set(path, tag);
  return parsed(text);
}

export const forget = (path) => known.delete(path);
export const forgetAll = () => known.clear();

async function change(method, path, body, type) {
  const answer = await fetch(`/deposits/${path}`, {
    method, body, credentials: "same-origin", cache: "no-store",
    headers: {
      "X-CSRF-Token": session.csrf,
      ...(type ? { "Content-Type": type } : {}),
    },
  });
  const text = await answer.text();
  if (!answer.ok) throw refusal(answer.status, text);
  return parsed(text);
}

export const logIn = (name, password) => change("POST", "session",
  JSON.stringify({ name, password }), "application/json");

export const logOut = () => change("DELETE", "session");

export const checkManifest = (file) =>
  change("POST", "api/check", file, "application/octet-stream");

/// Only XMLHttpRequest tells how much has been sent.
export function upload(file, operation, progress) {
  const query = new URLSearchParams({ file_name: file.name, operation });
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/deposits/api/upload?${query}`);
    request.setRequestHeader("X-CSRF-Token", session.csrf);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", (x) =>
      x.lengthComputable && progress(x.loaded, x.total));
    request.addEventListener("load", () => (request.status === 200
      ? done(parsed(request.responseText))
      : failed(refusal(request.status, request.responseText))));
    request.addEventListener("error", () => failed(new Refusal(0,
      "The connection broke: look below whether the file has arrived.")));
    request.send(file);
  });
}

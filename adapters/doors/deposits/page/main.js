// Logs in, and keeps what is shown up to date.

import { forgetAll, get, logIn, logOut, session } from "./api.js";
import { startCheck } from "./check.js";
import { closeDetail, openDetail, refreshDetail } from "./detail.js";
import { find, say } from "./dom.js";
import { clearList, refreshList, refreshPlace, startList } from "./list.js";
import { showOperations, startUploads } from "./upload.js";

const look_ms = 3000;
const place_every = 3; // looks: it is more work to find out
let looks = 0;
let timer = 0;

function showLogin() {
  clearTimeout(timer);
  forgetAll();
  Object.assign(session, { csrf: "", name: "" });
  clearList();
  closeDetail();
  find("uploads").replaceChildren();
  find("checked").textContent = "";
  find("who").hidden = true;
  find("inside").hidden = true;
  find("login").hidden = false;
  find("name").focus();
}

function complain(why) {
  if (why.status === 401) {
    showLogin();
    say("The session is over. Log in again.");
  } else {
    say(why.status ? why.message : "The server does not answer. Trying on.");
  }
}

async function attempt(what) {
  try {
    await what();
    return true;
  } catch (why) {
    complain(why);
    return false;
  }
}

const open = (id) => attempt(() => openDetail(id));

/// Also at once, whenever something has been done; then again and again.
async function refresh() {
  clearTimeout(timer);
  const name = session.name;
  if (!document.hidden) {
    const all = await attempt(async () => {
      await refreshList(open);
      await refreshDetail();
    });
    if (all) say("");
    // Without it everything else is still true.
    if (all && looks++ % place_every === 0)
      await refreshPlace().catch(() => {});
  }
  clearTimeout(timer);
  if (session.name && session.name === name)
    timer = setTimeout(refresh, look_ms);
}

function enter(found) {
  Object.assign(session, found);
  showOperations(found.operations);
  find("user").textContent = found.name;
  find("login").hidden = true;
  find("who").hidden = false;
  find("inside").hidden = false;
  say("");
  looks = 0;
  refresh();
}

find("login").addEventListener("submit", async (x) => {
  x.preventDefault();
  const password = find("password").value;
  find("password").value = "";
  try {
    enter(await logIn(find("name").value.trim(), password));
    find("content").focus();
  } catch (why) {
    say(why.message);
    find("password").focus();
  }
});

find("leave").addEventListener("click", async () => {
  if (await attempt(logOut)) {
    showLogin();
    say("");
  }
});

find("close").addEventListener("click", () => {
  closeDetail();
  find("content").focus();
});

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && session.name) refresh();
});

startUploads(refresh);
startList(refresh);
startCheck();

get("session").then(enter, (why) => {
  showLogin();
  if (why.status !== 401) complain(why);
});

// Begins: who is it, which view, which keys.

import * as api from "./api.js";
import { CommandList, CommandView } from "./command_view.js";
import { Frame, Over, places } from "./frame.js";
import { Batch, Batches, Job, Jobs, Review } from "./jobs.js";
import * as lists from "./lists.js";
import { Login } from "./login.js";
import { Overview } from "./overview.js";
import { heading, trouble } from "./parts.js";
import { Processors, Queue, Queues } from "./queues.js";
import { enter, go, leave, readRoute, state } from "./state.js";
import { Submission, Submissions } from "./submissions.js";
import { Channels, Clients, Topics } from "./topics.js";
import { User, Users } from "./users.js";

/// [a list or the only view, the view of one of them].
const views = {
  "": [Overview],
  queues: [Queues, Queue],
  users: [Users, User],
  processors: [Processors],
  submissions: [Submissions, Submission],
  batches: [Batches, Batch],
  jobs: [Jobs, Job],
  review: [Review],
  topics: [Topics],
  channels: [Channels],
  clients: [Clients],
  sources: [lists.Sources],
  schedulers: [lists.Schedulers],
  pipelines: [lists.Pipelines],
  collections: [lists.Collections],
  objects: [lists.Objects],
  deletions: [lists.Deletions],
  kafka: [lists.Kafka],
  "dead-letters": [lists.DeadLetters],
  shards: [lists.Shards],
  operators: [lists.Operators],
  keys: [lists.Keys],
  settings: [lists.Settings],
  audit: [lists.Audit],
  do: [CommandList, CommandView],
};

const Nowhere = {
  render: (h) => h("div", [heading(h, "There is no such page")]),
};

const Page = {
  data: () => ({ problem: null }),
  async created() {
    api.whenLoggedOut(leave);
    await this.look();
  },
  methods: {
    async look() {
      try {
        await enter(await api.whoAmI());
        this.problem = null;
      } catch (problem) {
        this.problem = problem;
        setTimeout(this.look, 3000);
      }
      state.looked = true;
    },
    view() {
      const [first = "", second] = state.route.path;
      const found = Object.hasOwn(views, first) ? views[first] : [Nowhere];
      return second === undefined ? found[0] : found[1] || Nowhere;
    },
  },
  render(h) {
    if (this.problem)
      return h("main", { class: "login" }, [trouble(h, this.problem)]);
    if (!state.looked)
      return h("p", { class: "first" }, "depositd");
    if (state.session === null || state.table === null)
      return h(Login);
    return h("div", [
      h(Frame, [h(this.view(), {
        props: { query: state.route.query },
        key: state.route.path.slice(0,
          state.route.path[0] === "do" ? 1 : 2).join("/"),
      })]),
      h(Over),
    ]);
  },
};

// -- keys ---------------------------------------------------------------------

let going = 0;

function pressed(event) {
  const where = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey
      || state.session === null || state.dialog !== null || state.help
      || where.closest("input, textarea, select, dialog"))
    return;
  if (event.key === "?") {
    state.help = true;
  } else if (event.key === "/") {
    const field = document.querySelector(
      "#search, main .filters input, main .filters select, main input");
    if (!field)
      return;
    field.focus();
  } else if (event.key === "g") {
    going = Date.now();
    return;
  } else if (Date.now() - going < 1500) {
    const place = places.find((x) => x.key === event.key);
    if (!place)
      return;
    go(place.path);
  } else {
    return;
  }
  going = 0;
  event.preventDefault();
}

/// Readers of screens are told of a new view: its title gets the focus.
function moved() {
  const before = state.route.path.join("/");
  readRoute();
  if (before === state.route.path.join("/"))
    return;
  Vue.nextTick(() => {
    const title = document.getElementById("title");
    if (title)
      title.focus({ preventScroll: true });
    scrollTo(0, 0);
    document.title = `${title ? `${title.textContent} · ` : ""}depositd`;
  });
}

Vue.config.productionTip = false;
addEventListener("hashchange", moved);
addEventListener("keydown", pressed);
readRoute();
new Vue(Page).$mount("#page");

// The engine at a glance, and whoever waits longest.

import * as api from "./api.js";
import { duration, number, since } from "./cells.js";
import { Polling, Watching, action, card, figure, heading, link, table, tag,
         pairs } from "./parts.js";

const last = (list) => {
  for (let i = (list || []).length - 1; i >= 0; --i)
    if (list[i] !== null)
      return list[i];
  return null;
};

/// Per second, of what was counted in each step.
function rates(list, step_s) {
  return (list || []).map((x) => (x === null ? null : x / step_s));
}

export const Overview = {
  mixins: [Watching, Polling],
  created() {
    this.poll("history", api.history, 10_000);
    this.poll("samples", this.measured, 10_000);
    if (api.find("review list"))
      this.poll("review", () => api.read("review list", { limit: 6 }), 15_000);
  },
  methods: {
    wants: () => ({ words: "status" }),

    /// What is measured; where nothing is, users of the first page.
    async measured() {
      const found = await api.samples([
        "depositd_user_wait_seconds", "depositd_user_share_ratio",
        "depositd_fair_evenness_ratio"]).catch(() => ({}));
      if ((found.depositd_user_wait_seconds || []).length === 0)
        found.depositd_user_wait_seconds = (await api.read("user list", {
          limit: 100 })).users.flatMap((x) => x.queues
          .filter((q) => q.ready > 0)
          .map((q) => ({ labels: { user: x.user, queue: q.queue },
                         value: null, ready: q.ready })))
          .sort((a, b) => b.ready - a.ready).slice(0, 10);
      return found;
    },

    figures(h, now) {
      const { step_s, series } = this.polled.history
        && this.polled.history.series ? this.polled.history
                                      : { step_s: 10, series: {} };
      const accepted = rates(series.accepted, step_s);
      const finished = rates(series.finished, step_s);
      const failed = rates(series.failed, step_s);
      const lost = (series.failed || []).reduce((all, x) => all + (x || 0), 0);
      return h("div", { class: "figures" }, [
        figure(h, { title: "Coming in", unit: "/s", values: accepted,
                    value: last(accepted) }),
        figure(h, { title: "Finished", unit: "/s", values: finished,
                    value: last(finished) }),
        figure(h, { title: "Waiting", values: series.waiting || [],
                    value: now.ready }),
        figure(h, { title: "In process", values: series.in_process || [],
                    value: now.in_flight,
                    note: `${now.slots.busy} of ${now.slots.total} slots` }),
        figure(h, { title: "Oldest", unit: "s", values: series.oldest_s || [],
                    value: last(series.oldest_s) }),
        figure(h, { title: "Failed", unit: "/s", values: failed,
                    value: last(failed), wrong: lost > 0,
                    note: `${number(lost)} in the last hour` }),
      ]);
    },

    /// Users who wait longest: by the ages that are measured; without them by
    /// how many items wait.
    waiting(h) {
      const found = this.polled.samples || {};
      const shares = new Map((found.depositd_user_share_ratio || []).map(
        (x) => [`${x.labels.queue} ${x.labels.user}`, x.value]));
      const rows = (found.depositd_user_wait_seconds || [])
        .filter((x) => x.labels.user && x.labels.user !== "(others)")
        .sort((a, b) => b.value - a.value);
      return card(h, "Who waits longest", [table(h, {
        label: "Users who wait longest", rows,
        key: (x) => `${x.labels.queue} ${x.labels.user}`,
        empty: "Nobody waits.",
        columns: [
          { title: "User", of: (x) =>
            link(h, ["users", x.labels.user], x.labels.user) },
          { title: "Queue", of: (x) =>
            link(h, ["queues", x.labels.queue], x.labels.queue) },
          { title: "Waits", number: true, of: (x) =>
            (x.value === null ? `${number(x.ready)} items`
                              : duration(x.value)) },
          { title: "Share", number: true, of: (x) => {
            const share = shares.get(`${x.labels.queue} ${x.labels.user}`);
            return share === undefined ? "–" : `${Math.round(share * 100)} %`;
          } },
          { title: "", of: (x) => h("a", {
            class: "button", attrs: {
              href: `#/users/${encodeURIComponent(x.labels.user)}`,
              "aria-label": `Why does ${x.labels.user} wait?` },
          }, "Why?") },
        ],
      })], { side: link(h, "users", "All users") });
    },

    queues(h, now) {
      const rows = now.queues.filter((x) => x.kind !== "stage" || x.ready > 0
                                            || x.in_flight > 0 || x.suspended);
      const fair = new Map(((this.polled.samples || {})
        .depositd_fair_evenness_ratio || []).map(
        (x) => [x.labels.queue, x.value]));
      return card(h, "Queues", [table(h, {
        label: "Queues", rows: rows.slice(0, 30), key: (x) => x.name,
        empty: "All stages are idle.",
        columns: [
          { title: "Queue", of: (x) => link(h, ["queues", x.name], x.name) },
          { title: "State", of: (x) => (x.suspended
            ? tag(h, "suspended", "bad") : tag(h, "open", "ok")) },
          { title: "Waiting", number: true, of: (x) => number(x.ready) },
          { title: "In process", number: true,
            of: (x) => number(x.in_flight) },
          { title: "Users", number: true, of: (x) => number(x.users) },
          { title: "Fair", number: true, of: (x) => (fair.has(x.name)
            ? fair.get(x.name).toFixed(3) : "–") },
        ],
      })], { side: link(h, "queues", "All queues") });
    },

    facts(h, now) {
      const review = this.polled.review;
      const look = review && review.items ? review.items.length : 0;
      const store = now.store || {};
      return card(h, "Engine", [pairs(h, [
        ["Version", now.version],
        ["Up", duration(now.uptime_s)],
        ["Started", `${since(now.started_at)} ago`],
        ["Accounts", number(now.accounts)],
        store.journalled === undefined ? null : ["Journal",
          `${number(store.journalled)} events, ${
            number(store.journalled - store.projected)} behind in the tables`],
        look > 0 ? ["Review", [link(h, "review",
                                    look > 5 ? "more than 5 jobs"
                                             : `${look} jobs`)]] : null,
        now.drop_folder_polling === undefined ? null : ["Drop folder",
          now.drop_folder_polling ? "looked at" : "suspended"],
      ])]);
    },
  },
  render(h) {
    const now = this.document;
    const missing = this.missing(h);
    if (missing)
      return h("div", [heading(h, "Overview"), missing]);
    const changed = () => this.refresh();
    return h("div", [
      heading(h, "Overview", [now.suspended
        ? action(h, "Resume", "resume", {}, changed, { kind: "main" })
        : action(h, "Suspend", "suspend", {}, changed)]),
      now.suspended ? h("p", { class: "banner", attrs: { role: "alert" } },
        "The engine is suspended: it hands out nothing from any queue.")
        : null,
      this.figures(h, now),
      h("div", { class: "columns" }, [
        h("div", [this.waiting(h)]),
        h("div", [this.queues(h, now), this.facts(h, now)]),
      ]),
    ]);
  },
};

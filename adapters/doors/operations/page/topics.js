// NSQ's topics, their channels, and who is connected.

import * as api from "./api.js";
import { clock, number } from "./cells.js";
import { form, listView } from "./lists.js";
import { Polling, action, card, heading, link, table, tag }
  from "./parts.js";

const state = (h, x) => (x.paused ? tag(h, "paused", "bad")
                                  : tag(h, "open", "ok"));

/// Pause or go on, of a topic or a channel.
function pausing(h, subject, x, values, then) {
  return x.paused
    ? action(h, "Go on", `${subject} unpause`, values, then, { kind: "main" })
    : action(h, "Pause", `${subject} pause`, values, then);
}

const count = (title, key) => ({
  title, number: true, of: (x) => number(x[key]) });

export const Topics = listView({
  title: "Topics", words: "topic list", path: "topics",
  intro: "Of NSQ's doors. A channel is a queue.",
  rows: (x) => x.topics, key: (x) => x.name, empty: "There are no topics.",
  acts: (h) => [form(h, "topic create", "New topic …"),
                link(h, "channels", "Channels"),
                link(h, "clients", "Clients")],
  columns: (h, view) => [
    { title: "Topic", of: (x) =>
      link(h, "channels", x.name, { topic: x.name }) },
    { title: "State", of: (x) => state(h, x) },
    count("Waiting", "depth"), count("Messages", "messages"),
    { title: "Channels", number: true,
      of: (x) => number((x.channels || []).length) },
    { title: "", of: (x) => [
      pausing(h, "topic", x, { name: x.name }, () => view.refresh()),
      action(h, "Empty …", "topic empty", { name: x.name },
             () => view.refresh(), { kind: "danger" }),
      action(h, "Delete …", "topic delete", { name: x.name },
             () => view.refresh(), { kind: "danger" })] },
  ],
});

export const Channels = listView({
  title: "Channels", words: "channel list", path: "channels",
  filters: ["topic"], rows: (x) => x.channels,
  key: (x) => `${x.topic}/${x.name}`, empty: "There are no channels.",
  acts: (h) => [form(h, "channel create", "New channel …"),
                link(h, "topics", "Topics"), link(h, "clients", "Clients")],
  columns: (h, view) => [
    { title: "Topic", of: (x) => x.topic },
    { title: "Channel", of: (x) => link(h, "clients", x.name, {
      topic: x.topic, channel: x.name }) },
    { title: "State", of: (x) => state(h, x) },
    count("Waiting", "depth"), count("In flight", "in_flight"),
    count("Deferred", "deferred"), count("Messages", "messages"),
    count("Requeued", "requeued"), count("Timed out", "timed_out"),
    { title: "", of: (x) => {
      const which = { topic: x.topic, name: x.name };
      return [
        pausing(h, "channel", x, which, () => view.refresh()),
        action(h, "Empty …", "channel empty", which, () => view.refresh(),
               { kind: "danger" })];
    } },
  ],
});

/// Connections to NSQ's door, of all or of one channel.
export const Clients = {
  mixins: [Polling],
  props: { query: Object },
  created() {
    this.poll("found", api.nsqClients, 3000);
  },
  methods: {
    shown() {
      const { topic, channel } = this.query;
      return this.polled.found.clients.filter(
        (x) => (!topic || x.topic === topic)
          && (!channel || x.channel === channel));
    },
  },
  render(h) {
    const { topic, channel } = this.query;
    const title = topic ? `Clients of ${topic}${channel ? `/${channel}` : ""}`
                        : "Clients";
    const found = this.polled.found;
    return h("div", [
      heading(h, title, [link(h, "channels", "Channels"),
                         topic ? link(h, "clients", "All clients") : null]),
      !found ? h("p", { class: "quiet" }, "Asking …")
        : found.problem ? h("p", { class: "trouble" }, found.problem.message)
        : card(h, "", [table(h, {
          label: "Clients", rows: this.shown(),
          key: (x) => x.address, empty: "Nobody is connected.",
          columns: [
            { title: "Client", of: (x) => x.client_id || "–" },
            { title: "Host", of: (x) => x.hostname || "–" },
            { title: "Address", of: (x) => x.address },
            { title: "Program", of: (x) => x.user_agent || "–" },
            { title: "Channel", of: (x) => (x.topic
              ? `${x.topic}/${x.channel}` : "publishes") },
            count("Ready for", "ready"), count("In flight", "in_flight"),
            { title: "Messages", number: true, of: (x) => number(x.topic
              ? x.messages
              : Object.values(x.published).reduce((a, b) => a + b, 0)) },
            count("Finished", "finished"), count("Requeued", "requeued"),
            { title: "Since (UTC)", of: (x) => clock(x.connected_at) },
          ],
        }), found.more ? h("p", { class: "quiet" },
                           "There are more than these.") : null],
          { label: "Clients" }),
    ]);
  },
};

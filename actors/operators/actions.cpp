#include "actors/operators/calls.hpp"
#include "messages/values/operations.hpp"

#include <functional>
#include <limits>
#include <map>

namespace depositd::operators {

namespace {

using call_ptr = admin_call_ptr;

void queue_purge(admin_pointer self, const call_ptr& call) {
  with_queue(self, call, [=](const queue_report& queue) {
    const auto name = queue.name;
    act<done>(self, call, self->state.options.shard, purge_queue{name},
              [=](const done&) {
                deliver(call, {{"name", name}, {"purged", true}});
              });
  });
}

void park(admin_pointer self, const call_ptr& call, bool parked) {
  constexpr auto time_max = std::numeric_limits<micros>::max();
  auto& in = call->arguments;
  park_matching what;
  what.queue = in.text_or("queue", "");
  if (in.has("users"))
    what.users = in.users("users");
  what.from_us = in.number_or("from_us", 0, time_max, 0);
  what.to_us = in.number_or("to_us", 0, time_max, time_max);
  what.parked = parked;
  what.count_only = in.flag("count_only");
  if (wrong(call))
    return;
  const auto answer = [=](const matching_parked& x) {
    document out{{"matched", x.count}};
    if (!what.count_only)
      out[parked ? "parked" : "unparked"] = x.count;
    deliver(call, out);
  };
  if (what.count_only)
    ask(self, call, self->state.options.shard, what, answer);
  else
    act<matching_parked>(self, call, self->state.options.shard, what, answer);
}

void backup(admin_pointer self, const call_ptr& call) {
  const auto folder = call->arguments.text("folder");
  if (wrong(call))
    return;
  act<done>(self, call, self->state.options.projector, back_up{folder},
            [=](const done&) {
              deliver(call, {{"folder", folder}});
            });
}

void kafka_init(admin_pointer self, const call_ptr& call) {
  const auto& topics = self->state.options.topics;
  if (!topics) {
    refuse(call, ec::not_found, "this engine has no Kafka: set kafka.brokers");
    return;
  }
  act<topics_created>(self, call, topics, create_topics{},
                      [=](const topics_created& x) {
                        auto list = document::array();
                        for (const auto& one : x.topics)
                          list.push_back({{"topic", one.topic},
                                          {"partitions", one.partitions},
                                          {"existed", one.existed}});
                        deliver(call, {{"topics", list}});
                      });
}

void submit_one(admin_pointer self, const call_ptr& call) {
  auto& in = call->arguments;
  submit_file what;
  what.user = in.user("user");
  what.file_name = in.text("file_name");
  what.operation = in.text_or("operation", default_operation.word.data());
  what.content_base64 = in.text("content_base64");
  if (wrong(call))
    return;
  document out{{"id", 0}, {"user", what.user}, {"file_name", what.file_name}};
  act<enqueued>(self, call, self->state.options.submitter, std::move(what),
                [=](const enqueued& x) {
                  if (x.ids.empty() || x.ids.front() == 0) {
                    refuse(call, ec::pending_limit_reached,
                           "the user has too many pending submissions");
                    return;
                  }
                  auto answer = out;
                  answer["id"] = x.ids.front();
                  deliver(call, answer);
                });
}

using action = std::function<void(admin_pointer, const call_ptr&)>;

const std::map<std::string, action>& actions() {
  static const std::map<std::string, action> all{
    {"queue purge", queue_purge},
    {"park", [](auto self, auto& call) { park(self, call, true); }},
    {"unpark", [](auto self, auto& call) { park(self, call, false); }},
    {"backup", backup},
    {"kafka init", kafka_init},
    {"submit", submit_one},
  };
  return all;
}

} // namespace

bool start_act(admin_pointer self, const admin_call_ptr& call) {
  const auto at = actions().find(call->command);
  if (at == actions().end())
    return false;
  at->second(self, call);
  return true;
}

} // namespace depositd::operators

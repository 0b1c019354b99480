// Logs of records: their topics, what is read from and published to them.

#include "actors/cluster/keeper/keeper.hpp"
#include "actors/journal/gather.hpp"
#include "actors/operators/command.hpp"
#include "messages/values/json_text.hpp"

#include <algorithm>

namespace depositd::operators {

namespace about_record_logs {
namespace {

constexpr const char* here = "kafka status";

document intake_document(const intake_report& x) {
  auto partitions = document::array();
  for (const auto& p : x.partitions) {
    const auto read = std::max<std::int64_t>(p.next, 0);
    partitions.push_back({{"partition", p.partition},
                          {"next", p.next},
                          {"end", p.end},
                          {"lag", std::max<std::int64_t>(p.end - read, 0)}});
  }
  return {{"partitions", std::move(partitions)},
          {"accepted", x.accepted},
          {"rejected", x.rejected},
          {"trouble", x.trouble}};
}

document log_document(const log_report& x) {
  return {{"shard", x.shard},
          {"intake", intake_document(x.in)},
          {"publisher",
           {{"published", x.out.published},
            {"events", x.out.events},
            {"dead_letters", x.out.dead_letters},
            {"work", x.out.work},
            {"passed", x.out.passed},
            {"trouble", x.out.trouble}}}};
}

document documents_of(const std::vector<log_report>& logs) {
  auto out = document::array();
  for (const auto& log : logs)
    out.push_back(log_document(log));
  return out;
}

/// An engine of another version may answer what it likes.
void add_answer(logs_gathered& found, const std::string& engine,
                const std::string& text) {
  const auto read = ordered_json_of(text);
  const auto logs = read.is_object() ? read.find("record_logs") : read.end();
  if (logs == read.end() || !logs->is_array()) {
    found.silent.push_back(engine);
    return;
  }
  for (const auto& x : *logs)
    if (x.is_object() && x.value("shard", document{}).is_number_unsigned())
      found.logs.push_back(x);
}

void ask_others(admin_pointer self, logs_gathered own,
                const admins_listed& known,
                std::function<void(const logs_gathered&)> use) {
  const journal::gathering<logs_gathered> all{
    [=](const caf::expected<logs_gathered>& found) {
      auto out = *found;
      std::sort(out.logs.begin(), out.logs.end(),
                [](const document& a, const document& b) {
                  return a["shard"] < b["shard"];
                });
      use(out);
    },
    std::move(own)};
  for (const auto& [engine, admin] : known.others)
    all.ask<admin_reply>(
      self, admin, self->state.options.timeout_node, admin_request{here, "{}"},
      [engine = engine](logs_gathered& found, const admin_reply& x) {
        add_answer(found, engine, x.document);
      },
      [engine = engine](logs_gathered& found, const caf::error&) {
        found.silent.push_back(engine);
      });
  all.close();
}

void kafka_init(admin_pointer self, const admin_call_ptr& call) {
  const auto& topics = self->state.options.topics;
  if (!topics)
    return refuse(call, ec::not_found, no_log);
  act(self, call, topics, create_topics{},
                      [=](const topics_created& x) {
                        auto list = document::array();
                        for (const auto& one : x.topics)
                          list.push_back({{"topic", one.topic},
                                          {"partitions", one.partitions},
                                          {"existed", one.existed}});
                        deliver(call, {{"topics", list}});
                      });
}

void kafka_status(admin_pointer self, const admin_call_ptr& call) {
  gather_logs(self, [=](const std::vector<log_report>& logs) {
    document out = {{"record_logs", documents_of(logs)}};
    if (!self->state.options.topics)
      out["note"] = no_log;
    deliver(call, out);
  });
}

} // namespace
} // namespace about_record_logs

void gather_all_logs(admin_pointer self,
                     std::function<void(const logs_gathered&)> use) {
  using namespace about_record_logs;
  gather_logs(self, [=](const std::vector<log_report>& logs) {
    logs_gathered own{documents_of(logs), document::array()};
    const auto& options = self->state.options;
    const auto keeper = options.keeper ? options.keeper() : nullptr;
    // Who has no logs is beside nobody who has.
    if (!options.logs || !keeper)
      return use(own);
    self
      ->request(caf::actor_cast<shard_keeper_actor>(keeper),
                options.timeout_node, list_admins{})
      .then([=](const admins_listed& x) { ask_others(self, own, x, use); },
            [=](const caf::error&) { use(own); });
  });
}

view_block record_log_table() {
  using namespace about_record_logs;
  return table_view(
    "record_logs",
    "SHARD={shard}; >TAKEN IN={intake.accepted}; "
    ">REJECTED={intake.rejected}; >BEHIND={intake.partitions.lag:sum}; "
    ">PUBLISHED={publisher.events}; >ENDED={publisher.work}; "
    ">DEAD LETTERS={publisher.dead_letters}; "
    "TROUBLE={intake.trouble}||{publisher.trouble}");
}

std::vector<command> record_log_commands() {
  using namespace about_record_logs;
  return {
    doing("kafka init", "Make the topics that the settings name", {},
          kafka_init,
          {table_view("topics", "TOPIC={topic}; >PARTITIONS={partitions}; "
                                "WAS THERE={existed}")}),
    concerning(concern::nobody,
               reading(here,
                       "What this engine reads from and publishes to "
                       "Kafka",
                       {}, {line_view("note", "{note}"), record_log_table()},
                       kafka_status)),
  };
}

} // namespace depositd::operators

// What is done to an engine now and then.

#include "actors/operators/command.hpp"

namespace depositd::operators {

namespace {

void backup(admin_pointer self, const admin_call_ptr& call) {
  const auto folder = call->arguments.text("folder");
  act<done>(self, call, self->state.options.projector, back_up{folder},
            [=](const done&) {
              deliver(call, {{"folder", folder}});
            });
}

void kafka_init(admin_pointer self, const admin_call_ptr& call) {
  const auto& topics = self->state.options.topics;
  if (!topics)
    return refuse(call, ec::not_found,
                  "this engine has no Kafka: set kafka.brokers");
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

} // namespace

std::vector<command> upkeep_commands() {
  return {
    slow(doing("backup", "Copy everything while the engine runs",
               {{"folder", "folder", value_kind::folder, "DIR",
                 "New folder on the engine's machine", true}},
               backup)),
    doing("kafka init", "Make the topics that the settings name", {},
          kafka_init,
          {table_view("topics", "TOPIC={topic}; >PARTITIONS={partitions}; "
                                "WAS THERE={existed}")}),
  };
}

} // namespace depositd::operators

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

} // namespace

std::vector<command> upkeep_commands() {
  return {
    slow(doing("backup", "Copy everything while the engine runs",
               {{"folder", "folder", value_kind::folder, "DIR",
                 "New folder on the engine's machine", true}},
               backup)),
  };
}

} // namespace depositd::operators

// What is done to an engine now and then.

#include "actors/operators/command.hpp"
#include "messages/projection.hpp"

#include <spdlog/spdlog.h>

namespace depositd::operators {

namespace about_upkeep {
namespace {

void copied(const admin_call_ptr& call, const std::string& folder) {
  spdlog::info("backup_done folder={}", folder);
  deliver(call, {{"folder", folder}});
}

/// Objects last, by somebody who has the time: everybody else goes on.
void copy_rest(admin_pointer self, const admin_call_ptr& call,
               const std::string& folder,
               const std::shared_ptr<work_copy>& work) {
  const auto& options = self->state.options;
  self->request(options.copier, options.timeout_copy, copy_objects{work})
    .then([=](const done&) { copied(call, folder); },
          [=](const caf::error& why) {
            spdlog::error("backup_failed folder={} reason=\"{}\"", folder,
                          render(why));
            refuse(call, why);
          });
}

void backup(admin_pointer self, const admin_call_ptr& call) {
  const auto folder = call->arguments.text("folder");
  const auto& options = self->state.options;
  const auto work = options.begin_copy ? options.begin_copy(folder) : nullptr;
  act(self, call, options.projector, back_up{folder, work},
            [=](const done&) {
              if (work == nullptr)
                copied(call, folder);
              else
                copy_rest(self, call, folder, work);
            });
}

} // namespace
} // namespace about_upkeep

std::vector<command> upkeep_commands() {
  using namespace about_upkeep;
  return {
    slow(doing("backup", "Copy everything while the engine runs",
               {{"folder", "folder", value_kind::folder, "DIR",
                 "New folder on the engine's machine", true}},
               backup)),
  };
}

} // namespace depositd::operators

#include "adapters/doors/kit/client_audit.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

namespace depositd::kit {

namespace {

using json = nlohmann::ordered_json;

std::string who_text(const client_order& x) {
  return (x.who.empty() ? "anybody" : x.who) + " from " + x.from;
}

} // namespace

client_audit::client_audit(std::shared_ptr<spdlog::logger> to)
  : to_(std::move(to)) {
  // nop
}

void client_audit::tell(const client_order& what, const caf::error& why) {
  if (!to_)
    return;
  const auto who = who_text(what);
  if (!lines_.take(who, std::chrono::steady_clock::now())) {
    ++left_out_;
    return;
  }
  auto arguments = json::object();
  for (const auto& [key, value] : what.arguments)
    if (!value.empty())
      arguments[key] = value;
  const auto left_out = left_out_.exchange(0);
  to_->info("audit who={} command={} arguments={} before=null after={} "
            "result={}",
            ascii_json_text(json(who)), ascii_json_text(json(what.command)),
            ascii_json_text(arguments),
            left_out == 0 ? std::string{"null"}
                          : R"({"left_out":)" + std::to_string(left_out) + '}',
            ascii_json_text(json(why ? render(why) : "done")));
}

} // namespace depositd::kit

#include "actors/operators/changes.hpp"

#include "actors/operators/change_kinds.hpp"

#include <functional>
#include <limits>
#include <map>

namespace depositd::operators {

namespace {

using change = caf::expected<admin_change>;

// -- server -------------------------------------------------------------------

document server_document(const server_changed& x) {
  return {{"suspended", x.suspended},
          {"drop_folder_polling", x.drop_folder_polling}};
}

change set_server(admin_arguments& in, const control_state& now,
                  const server_changed& wanted) {
  if (auto problem = in.finish())
    return problem;
  admin_change out;
  out.before = server_document(now.server);
  out.after = server_document(wanted);
  if (wanted != now.server)
    out.events.push_back(wanted);
  return out;
}

change set_suspended(admin_arguments& in, const control_state& now, bool on) {
  auto wanted = now.server;
  wanted.suspended = on;
  return set_server(in, now, wanted);
}

change set_polling(admin_arguments& in, const control_state& now, bool on) {
  auto wanted = now.server;
  wanted.drop_folder_polling = on;
  return set_server(in, now, wanted);
}

// -- queues -------------------------------------------------------------------

caf::expected<queue_settings> settings_of(const control_state& now,
                                          const std::string& queue) {
  const auto at = now.queues.find(queue);
  if (at == now.queues.end())
    return refuse(ec::not_found, "there is no queue of this name");
  return at->second;
}

change put_queue(const std::string& name, const queue_settings& before,
                 const queue_settings& after) {
  admin_change out;
  out.before = settings_document(name, before);
  out.after = settings_document(name, after);
  if (after != before)
    out.events.push_back(queue_changed{name, after});
  return out;
}

change suspend_queue(admin_arguments& in, const control_state& now, bool on) {
  const auto name = in.text("name");
  if (auto problem = in.finish())
    return problem;
  const auto before = settings_of(now, name);
  if (!before)
    return before.error();
  auto after = *before;
  after.suspended = on;
  return put_queue(name, *before, after);
}

change set_queue(admin_arguments& in, const control_state& now) {
  const auto name = in.text("name");
  const auto allocation = in.number_or("allocation", 0, no_cap - 1, -1);
  const auto concurrency = in.limit("concurrency", false);
  const auto pending_limit = in.limit("pending_limit", false);
  const auto attempts_max = in.limit("attempts_max", false);
  const auto retry_delay_ms = in.number_or("retry_delay_ms", 0, 86'400'000, -1);
  if (auto problem = in.finish())
    return problem;
  const auto before = settings_of(now, name);
  if (!before)
    return before.error();
  auto after = *before;
  if (allocation >= 0)
    after.allocation = static_cast<std::uint32_t>(allocation);
  if (concurrency)
    after.concurrency = concurrency->value;
  if (pending_limit)
    after.pending_limit = pending_limit->value;
  if (attempts_max)
    after.attempts_max = attempts_max->value;
  if (retry_delay_ms >= 0)
    after.retry_delay_ms = static_cast<std::uint32_t>(retry_delay_ms);
  return put_queue(name, *before, after);
}

// -- users --------------------------------------------------------------------

document limits_document(const user_limits_changed& x) {
  const auto side = [](bool own, std::uint32_t value) {
    if (!own)
      return document("default");
    return value == no_cap ? document("none") : document(value);
  };
  return {{"user", x.user},
          {"queue", x.queue},
          {"allocation", side(x.has_allocation, x.allocation)},
          {"concurrency", side(x.has_concurrency, x.concurrency)}};
}

/// The queue that is named, or all deposit queues.
caf::expected<std::vector<std::string>> queues_meant(const control_state& now,
                                                     const std::string& queue) {
  std::vector<std::string> out;
  if (!queue.empty()) {
    if (auto found = settings_of(now, queue); !found)
      return found.error();
    out.push_back(queue);
    return out;
  }
  for (const auto& [name, settings] : now.queues)
    if (settings.kind == queue_kind::deposit)
      out.push_back(name);
  return out;
}

change set_limits(admin_arguments& in, const control_state& now) {
  const auto users = in.users("names");
  const auto allocation = in.limit("allocation", true);
  const auto concurrency = in.limit("concurrency", true);
  const auto queue = in.text_or("queue", "");
  if (auto problem = in.finish())
    return problem;
  if (!allocation && !concurrency)
    return refuse(ec::invalid_argument, "give an allocation or a concurrency");
  if (allocation && !allocation->is_default && allocation->value == no_cap)
    return refuse(ec::invalid_argument,
                  "allocation must be a number or default");
  const auto queues = queues_meant(now, queue);
  if (!queues)
    return queues.error();
  admin_change out{{}, document::array(), document::array()};
  for (const auto& name : *queues) {
    for (const auto& user : users) {
      const auto at = now.limits.find({name, user});
      const auto before =
        at != now.limits.end() ? at->second : user_limits_changed{name, user};
      auto after = before;
      if (allocation) {
        after.has_allocation = !allocation->is_default;
        after.allocation = allocation->value;
      }
      if (concurrency) {
        after.has_concurrency = !concurrency->is_default;
        after.concurrency = concurrency->value;
      }
      out.before.push_back(limits_document(before));
      out.after.push_back(limits_document(after));
      if (after != before)
        out.events.push_back(after);
    }
  }
  out.before = {{"limits", std::move(out.before)}};
  out.after = {{"limits", std::move(out.after)}};
  return out;
}

/// Changes one side of the standing of users.
change set_eligibility(admin_arguments& in, const control_state& now,
                       bool user_eligibility::*side, bool on) {
  const auto users = in.users("names");
  if (auto problem = in.finish())
    return problem;
  admin_change out{{}, document::array(), document::array()};
  const auto shown = [](const std::string& user, const user_eligibility& x) {
    return document{
      {"user", user}, {"held", x.held}, {"prohibited", x.prohibited}};
  };
  for (const auto& user : users) {
    const auto at = now.eligibilities.find(user);
    const auto before =
      at != now.eligibilities.end() ? at->second : user_eligibility{};
    auto after = before;
    after.*side = on;
    out.before.push_back(shown(user, before));
    out.after.push_back(shown(user, after));
    if (after != before)
      out.events.push_back(
        user_eligibility_changed{user, after.held, after.prohibited});
  }
  out.before = {{"users", std::move(out.before)}};
  out.after = {{"users", std::move(out.after)}};
  return out;
}

// -- all of them --------------------------------------------------------------

using decider = std::function<change(admin_arguments&, const control_state&)>;

const std::map<std::string, decider>& deciders() {
  using args = admin_arguments;
  using state = control_state;
  static const auto held = &user_eligibility::held;
  static const auto prohibited = &user_eligibility::prohibited;
  static const std::map<std::string, decider> all{
    {"suspend",
     [](args& x, const state& s) { return set_suspended(x, s, true); }},
    {"resume",
     [](args& x, const state& s) { return set_suspended(x, s, false); }},
    {"drop suspend",
     [](args& x, const state& s) { return set_polling(x, s, false); }},
    {"drop resume",
     [](args& x, const state& s) { return set_polling(x, s, true); }},
    {"queue suspend",
     [](args& x, const state& s) { return suspend_queue(x, s, true); }},
    {"queue resume",
     [](args& x, const state& s) { return suspend_queue(x, s, false); }},
    {"queue set", set_queue},
    {"user set", set_limits},
    {"user hold",
     [](args& x, const state& s) { return set_eligibility(x, s, held, true); }},
    {"user release",
     [](args& x, const state& s) {
       return set_eligibility(x, s, held, false);
     }},
    {"user prohibit",
     [](args& x, const state& s) {
       return set_eligibility(x, s, prohibited, true);
     }},
    {"user allow",
     [](args& x, const state& s) {
       return set_eligibility(x, s, prohibited, false);
     }},
    {"user add", add_account},
    {"user password", set_password},
    {"user remove", remove_account},
    {"key add", add_key},
    {"key remove", remove_key},
    {"sp add",
     [](args& x, const state& s) { return put_processor(x, s, true); }},
    {"sp set",
     [](args& x, const state& s) { return put_processor(x, s, false); }},
    {"sp stop", stop_processor},
  };
  return all;
}

} // namespace

bool is_change(const std::string& command) {
  return deciders().count(command) > 0;
}

caf::expected<admin_change> decide_change(const std::string& command,
                                          admin_arguments& arguments,
                                          const control_state& now) {
  return deciders().at(command)(arguments, now);
}

} // namespace depositd::operators

#include "actors/rules/control/founding.hpp"

#include "actors/rules/control/control.hpp"
#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"

#include <algorithm>

namespace depositd::rules {

namespace {

/// Whether anything is set for the queue, for whichever user.
template <class Map>
bool has_any(const Map& by_queue_and_user, const std::string& queue) {
  const auto at = by_queue_and_user.lower_bound({queue, ""});
  return at != by_queue_and_user.end() && at->first.first == queue;
}

/// The most that one of the user's keys allows.
std::uint32_t queues_max_of(const control_state& state, const std::string& user,
                            std::uint32_t otherwise) {
  std::uint32_t out = 0;
  bool other = state.keys.contains(user) && !state.key_terms.contains(user);
  for (const auto& [key, terms] : state.key_terms)
    if (terms.user == user) {
      out = std::max(out, terms.queues_max);
      other = other || terms.queues_max == 0;
    }
  return other || out == 0 ? std::max(out, otherwise) : out;
}

} // namespace

bool is_key_user(const control_state& state, const std::string& user) {
  if (user == anonymous_user)
    return true;
  if (state.keys.contains(user) && user_of_key(state, user) == user)
    return true;
  return std::any_of(state.key_terms.begin(), state.key_terms.end(),
                     [&](const auto& x) { return x.second.user == user; });
}

caf::error check_founding(const control_state& state, const std::string& user,
                          std::uint32_t queues_max) {
  const auto max = queues_max_of(state, user, queues_max);
  if (max == no_cap)
    return {};
  const auto own =
    std::count_if(state.founders.begin(), state.founders.end(),
                  [&](const auto& x) { return x.second.founder == user; });
  if (static_cast<std::uint64_t>(own) < max)
    return {};
  return caf::make_error(ec::invalid_argument,
                         "The key of " + user + " has made "
                           + std::to_string(own)
                           + " queues, as many as it may: use one of them, or "
                             "ask an operator for more");
}

caf::expected<std::vector<event>> found(const control_state& state,
                                        const founding& x) {
  if (x.queue == notify_queue)
    return caf::make_error(ec::invalid_argument,
                           "There is no queue " + x.queue
                             + ", and messages cannot make it: the name is "
                               "that of the outbox");
  std::vector<event> out{
    queue_changed{x.queue, settings_of_new_queue(x.queue)}};
  if (!is_key_user(state, x.user))
    return out;
  if (auto wrong = check_founding(state, x.user, x.queues_max))
    return wrong;
  out.emplace_back(queue_founded{x.queue, x.user});
  return out;
}

bool may_retire(const control_state& state, const std::string& queue) {
  const auto at = state.queues.find(queue);
  if (at == state.queues.end() || !state.founders.contains(queue)
      || at->second != settings_of_new_queue(queue)
      || has_any(state.limits, queue) || has_any(state.quotas, queue))
    return false;
  return std::none_of(
    state.moves.begin(), state.moves.end(), [&](const auto& x) {
      return x.second.status == move_status::in_progress
             && (x.second.from == queue || x.second.to == queue);
    });
}

} // namespace depositd::rules

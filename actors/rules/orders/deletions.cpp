#include "actors/rules/orders/deletions.hpp"

#include "messages/values/names.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules::deletions {

namespace {

constexpr std::size_t reason_bytes_max = 1'000;

caf::error refuse(ec code, std::string text) {
  return caf::make_error(code, std::move(text));
}

bool is_decided(const deletion_changed& x) {
  return x.rejected_us != never || x.queued_us != never || is_approved(x);
}

caf::error already(const deletion_changed& x) {
  return refuse(ec::invalid_argument,
                "the request " + x.reference + " is " + state_of(x)
                  + (x.rejected_by.empty() ? "" : " by " + x.rejected_by));
}

/// What was there stays: only what was not there may come.
template <class T>
bool adds(const T& before, const T& after, const T& none) {
  return before == after || before == none;
}

bool names(const deletion_changed& x, const std::string& object) {
  return std::any_of(
    x.targets.begin(), x.targets.end(),
    [&](const auto& target) { return target.object == object; });
}

caf::error check_new(const control_state& state, const deletion_changed& x) {
  if (state.deletions.size() >= requests_max)
    return refuse(ec::quota_reached,
                  "there are " + std::to_string(requests_max)
                    + " requests for deletion, as many as are kept");
  const auto own =
    std::count_if(state.deletions.begin(), state.deletions.end(),
                  [&](const auto& one) { return one.second.user == x.user; });
  if (static_cast<std::size_t>(own) >= requests_of_user_max)
    return refuse(ec::quota_reached,
                  x.user + " has " + std::to_string(requests_of_user_max)
                    + " requests for deletion, as many as are kept of one "
                      "user: those that are decided are forgotten after 90 "
                      "days, and one request can be for "
                    + std::to_string(targets_max) + " objects");
  for (const auto& [reference, other] : state.deletions)
    if (other.rejected_us == never && other.queued_us == never)
      for (const auto& target : other.targets)
        if (names(x, target.object))
          return refuse(ec::already_exists, "the request " + reference
                                              + " is for " + target.object);
  const bool plain = x.inst_approver.empty() && x.aptrust_approver.empty()
                     && x.rejected_by.empty() && x.rejected_us == never
                     && x.queued_us == never;
  return plain ? caf::error{}
               : refuse(ec::invalid_argument,
                        "a request for deletion begins undecided");
}

caf::error check_next(const deletion_changed& is, const deletion_changed& x) {
  const std::string nobody;
  const bool same = is.user == x.user && is.targets == x.targets
                    && is.asked_by == x.asked_by && is.asked_us == x.asked_us
                    && is.reason == x.reason;
  const bool follows = adds(is.inst_approver, x.inst_approver, nobody)
                       && adds(is.aptrust_approver, x.aptrust_approver, nobody)
                       && adds(is.rejected_by, x.rejected_by, nobody)
                       && adds(is.rejected_us, x.rejected_us, never)
                       && adds(is.queued_us, x.queued_us, never);
  if (!same || !follows)
    return refuse(ec::invalid_argument, "the request " + x.reference
                                          + " has changed meanwhile: ask "
                                            "again");
  if (is.rejected_us != never && !(is == x))
    return already(is);
  if (x.rejected_us != never && is_approved(is) && !(is == x))
    return already(is);
  if (x.queued_us != never && !is_approved(x))
    return refuse(ec::invalid_argument,
                  "the request " + x.reference + " is not approved");
  return {};
}

bool twice(const std::string& a, const std::string& b) {
  return !a.empty() && a == b;
}

} // namespace

std::string person_of(const access::caller& x) {
  const std::string_view who = x.who;
  return std::string{who.starts_with("operator=") ? who.substr(0, who.find(' '))
                                                  : who};
}

std::string state_of(const deletion_changed& x) {
  if (x.rejected_us != never)
    return "rejected";
  if (x.queued_us != never)
    return "queued";
  return is_approved(x) ? "approved" : "asked";
}

bool is_seen(const deletion_changed& x, const access::caller& by) {
  return std::all_of(
    x.targets.begin(), x.targets.end(),
    [&](const auto& target) { return by.sees(x.user, target.collection); });
}

caf::expected<deletion_changed>
approved(deletion_changed x, const access::caller& by, micros at_us) {
  if (is_decided(x))
    return already(x);
  const auto person = person_of(by);
  if (person == x.asked_by)
    return refuse(ec::not_allowed, "whoever asks for a deletion does not "
                                   "approve it: "
                                     + person);
  if (person == x.inst_approver || person == x.aptrust_approver)
    return refuse(ec::not_allowed, person + " has approved it before");
  const bool of_institution =
    by.operates && by.collections.empty()
    && std::find(by.users.begin(), by.users.end(), x.user) != by.users.end();
  if (of_institution && x.inst_approver.empty()) {
    x.inst_approver = person;
    x.inst_approved_us = at_us;
    return x;
  }
  if (needs_administrator(x) && by.administers && !by.is_limited()
      && x.aptrust_approver.empty()) {
    x.aptrust_approver = person;
    x.aptrust_approved_us = at_us;
    return x;
  }
  return refuse(ec::not_allowed,
                x.inst_approver.empty()
                  ? "a deletion is approved by an operator of the same "
                    "institution, who is limited to users with "
                      + x.user
                  : "a deletion of many is approved by an administrator, too");
}

caf::expected<deletion_changed>
rejected(deletion_changed x, const access::caller& by, micros at_us) {
  if (is_decided(x))
    return already(x);
  if (!by.operates || !is_seen(x, by))
    return refuse(ec::not_allowed,
                  "the request is not for " + person_of(by) + " to reject");
  x.rejected_by = person_of(by);
  x.rejected_us = at_us;
  return x;
}

caf::error check(const control_state& state, const deletion_changed& x) {
  const auto known = state.deletions.find(x.reference);
  const bool is_known = known != state.deletions.end();
  if (x.forgotten)
    return is_known
             ? caf::error{}
             : refuse(ec::not_found, "no request for deletion " + x.reference);
  if (!legal_user_name(x.reference) || !legal_user_name(x.user))
    return refuse(ec::invalid_argument, "not the name of a request, or of a "
                                        "user");
  if (x.asked_by.empty() || x.asked_us == never
      || x.reason.size() > reason_bytes_max)
    return refuse(ec::invalid_argument, "a request says who asks, and why in "
                                        "at most 1000 bytes");
  if (x.targets.empty() || x.targets.size() > targets_max)
    return refuse(ec::invalid_argument, "a request is for 1 to "
                                          + std::to_string(targets_max)
                                          + " objects");
  for (const auto& target : x.targets)
    if (target.object.empty() || target.object.size() > order_name_bytes_max
        || !legal_user_name(target.collection))
      return refuse(ec::invalid_argument, "not the name of an object");
  if (x.asked_by == x.inst_approver || x.asked_by == x.aptrust_approver
      || twice(x.inst_approver, x.aptrust_approver))
    return refuse(ec::not_allowed, "nobody approves their own request");
  return is_known ? check_next(known->second, x) : check_new(state, x);
}

std::vector<event> outdated(const control_state& state, micros now) {
  std::vector<event> out;
  for (const auto& [reference, x] : state.deletions) {
    const auto ended = std::max(x.rejected_us, x.queued_us);
    if (ended == never || ended + remembered_us > now)
      continue;
    auto gone = x;
    gone.forgotten = true;
    out.emplace_back(std::move(gone));
  }
  return out;
}

bool is_needed(const control_state& state, const batch_info& x) {
  if (order_kind_of(x) != order_kind::delete_item)
    return false;
  for (const auto& [reference, request] : state.deletions) {
    if (!is_approved(request) || request.queued_us != never)
      continue;
    for (std::size_t i = 0; i < request.targets.size(); ++i)
      if (request.targets[i].object == x.title
          && deletion_order_uuid(reference, i) == x.uuid)
        return true;
  }
  return false;
}

std::vector<preservation_order> orders_of(const deletion_changed& x) {
  std::vector<preservation_order> out;
  for (const auto& target : x.targets) {
    auto& one = out.emplace_back();
    one.kind = order_kind::delete_item;
    one.object = target.object;
    one.asked_by = x.asked_by;
    one.inst_approver = x.inst_approver;
    one.aptrust_approver = x.aptrust_approver;
    one.deletion = x.reference;
  }
  return out;
}

} // namespace depositd::rules::deletions

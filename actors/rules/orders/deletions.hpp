#pragma once

// Requests for deletion: who may approve them, and what they become. Nothing is
// deleted that two people of one institution have not agreed on.

#include "actors/rules/access/access.hpp"
#include "messages/values/control.hpp"
#include "messages/values/orders.hpp"

#include <string>
#include <vector>

namespace depositd::rules::deletions {

/// Requests that are remembered, with those that were decided.
inline constexpr std::size_t requests_max = 10'000;
/// Of one user, so that nobody fills the list for all others.
inline constexpr std::size_t requests_of_user_max = 1'000;
inline constexpr std::size_t targets_max = 100;
/// A request that was decided is forgotten after so long.
inline constexpr micros remembered_us = micros{90} * 86'400 * 1'000'000;

/// Who a caller is, however they have come in.
std::string person_of(const access::caller& x);

/// "asked", "approved", "rejected", "queued".
std::string state_of(const deletion_changed& x);

/// Whether all of its objects are the caller's to see. To anybody else there is
/// no such request: not in lists, and not to be decided.
bool is_seen(const deletion_changed& x, const access::caller& by);

/// The request with this caller's approval. `ec::not_allowed`: whoever asked,
/// or who approved before, or somebody of another institution;
/// `ec::invalid_argument`: it is decided already.
caf::expected<deletion_changed>
approved(deletion_changed x, const access::caller& by, micros at_us);

/// The request with this caller's rejection, which may be that of whoever
/// asked: of anybody who operates and sees it. Refusals likewise.
caf::expected<deletion_changed>
rejected(deletion_changed x, const access::caller& by, micros at_us);

/// Why the change of a request is none that can follow on what is known.
/// `ec::quota_reached` says whether it is the user that has too many, or all.
caf::error check(const control_state& state, const deletion_changed& x);

/// Decided ones that need not be remembered any longer.
std::vector<event> outdated(const control_state& state, micros now);

/// Whether the batch is one of the orders of a request that is approved and not
/// queued as a whole: that there was one is known by the batch alone, and it
/// would be queued again.
bool is_needed(const control_state& state, const batch_info& x);

/// What an approved request becomes, an order for each target; without uuids.
std::vector<preservation_order> orders_of(const deletion_changed& x);

} // namespace depositd::rules::deletions

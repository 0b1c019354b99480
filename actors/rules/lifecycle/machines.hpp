#pragma once

// The two life cycles as tables: every arrow there is, and nothing else.

#include "messages/values/jobs.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace depositd::rules {

/// Who may make a move. Work that is done says `success` or `failure` and
/// need not know where that leads.
enum class moved_by : std::uint8_t { success, failure, either, named };

template <class State>
struct arrow {
  State from;
  State to;
  moved_by by;
};

template <class State>
inline constexpr std::array<arrow<State>, 0> arrows = {};

template <>
inline constexpr std::array<arrow<job_state>, 28> arrows<job_state> = {{
  {job_state::pending, job_state::estimating, moved_by::named},
  {job_state::pending, job_state::held, moved_by::named},
  {job_state::pending, job_state::failed, moved_by::failure},
  {job_state::held, job_state::pending, moved_by::named},
  {job_state::held, job_state::deleted, moved_by::named},
  {job_state::estimating, job_state::provisioning, moved_by::success},
  {job_state::estimating, job_state::failed, moved_by::failure},
  {job_state::provisioning, job_state::downloading, moved_by::success},
  {job_state::provisioning, job_state::failed, moved_by::failure},
  {job_state::downloading, job_state::processing, moved_by::success},
  {job_state::downloading, job_state::failed, moved_by::failure},
  {job_state::processing, job_state::storing, moved_by::success},
  {job_state::processing, job_state::failed, moved_by::failure},
  {job_state::storing, job_state::recording, moved_by::success},
  {job_state::storing, job_state::failed, moved_by::failure},
  {job_state::recording, job_state::notify, moved_by::success},
  {job_state::recording, job_state::failed, moved_by::failure},
  {job_state::notify, job_state::completed, moved_by::success},
  {job_state::notify, job_state::failed, moved_by::failure},
  {job_state::failed, job_state::pending, moved_by::named},
  {job_state::failed, job_state::estimating, moved_by::named},
  {job_state::failed, job_state::provisioning, moved_by::named},
  {job_state::failed, job_state::downloading, moved_by::named},
  {job_state::failed, job_state::processing, moved_by::named},
  {job_state::failed, job_state::storing, moved_by::named},
  {job_state::failed, job_state::recording, moved_by::named},
  {job_state::failed, job_state::notify, moved_by::named},
  {job_state::failed, job_state::deleted, moved_by::named},
}};

template <>
inline constexpr std::array<arrow<batch_state>, 12> arrows<batch_state> = {{
  {batch_state::pending, batch_state::processing, moved_by::named},
  {batch_state::pending, batch_state::held, moved_by::named},
  {batch_state::held, batch_state::pending, moved_by::named},
  {batch_state::held, batch_state::deleted, moved_by::named},
  {batch_state::processing, batch_state::reporting, moved_by::either},
  {batch_state::processing, batch_state::failed, moved_by::named},
  {batch_state::reporting, batch_state::completed, moved_by::success},
  {batch_state::reporting, batch_state::failed, moved_by::failure},
  {batch_state::failed, batch_state::update_reporting, moved_by::named},
  {batch_state::failed, batch_state::deleted, moved_by::named},
  {batch_state::update_reporting, batch_state::completed, moved_by::success},
  {batch_state::update_reporting, batch_state::failed, moved_by::failure},
}};

/// Whether there is this arrow. A state's arrow to itself is none.
template <class State>
constexpr bool may_move(State from, State to) {
  for (const auto& x : arrows<State>)
    if (x.from == from && x.to == to)
      return true;
  return false;
}

/// Where work that was done leads; `none` where success is not defined.
template <class State>
constexpr State after_success(State from) {
  for (const auto& x : arrows<State>)
    if (x.from == from
        && (x.by == moved_by::success || x.by == moved_by::either))
      return x.to;
  return State::none;
}

/// Where work that failed leads; `none` where failure is not defined.
template <class State>
constexpr State after_failure(State from) {
  for (const auto& x : arrows<State>)
    if (x.from == from
        && (x.by == moved_by::failure || x.by == moved_by::either))
      return x.to;
  return State::none;
}

/// Nothing moves from here: what is in such a state may be removed.
template <class State>
constexpr bool deletable(State x) {
  if (x == State::none)
    return false;
  for (const auto& each : arrows<State>)
    if (each.from == x)
      return false;
  return true;
}

} // namespace depositd::rules

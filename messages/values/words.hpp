#pragma once

// The words that stand for enumerators in settings, arguments and documents.

#include "messages/values/control_events.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"
#include "messages/values/word_list.hpp"

namespace depositd {

template <>
inline constexpr word_list<queue_kind, 4> words_of<queue_kind> = {
  {{queue_kind::deposit, "deposit"},
   {queue_kind::message, "message"},
   {queue_kind::stage, "stage"},
   {queue_kind::outbox, "outbox"}}};

template <>
inline constexpr word_list<priority_mode, 2> words_of<priority_mode> = {
  {{priority_mode::within_user, "within_user"},
   {priority_mode::across_users, "across_users"}}};

template <>
inline constexpr word_list<dedup_mode, 3> words_of<dedup_mode> = {
  {{dedup_mode::none, "none"},
   {dedup_mode::between_polls, "between_polls"},
   {dedup_mode::while_pending, "while_pending"}}};

template <>
inline constexpr word_list<fair_by, 3> words_of<fair_by> = {
  {{fair_by::turns, "turns"},
   {fair_by::bytes, "bytes"},
   {fair_by::seconds, "seconds"}}};

template <>
inline constexpr word_list<item_state, 4> words_of<item_state> = {
  {{item_state::pending, "pending"},
   {item_state::claimed, "claimed"},
   {item_state::delayed, "delayed"},
   {item_state::parked, "parked"}}};

template <>
inline constexpr word_list<eligibility, 6> words_of<eligibility> = {
  {{eligibility::eligible, "eligible"},
   {eligibility::nothing_ready, "nothing_ready"},
   {eligibility::held, "held"},
   {eligibility::prohibited, "prohibited"},
   {eligibility::no_allocation, "no_allocation"},
   {eligibility::at_cap, "at_cap"}}};

template <>
inline constexpr word_list<submission_status, 3> words_of<submission_status> = {
  {{submission_status::queued, "queued"},
   {submission_status::in_process, "in_process"},
   {submission_status::completed, "completed"}}};

template <>
inline constexpr word_list<queue_right, 4> words_of<queue_right> = {
  {{queue_right::post, "post"},
   {queue_right::poll, "poll"},
   {queue_right::get_status, "get_status"},
   {queue_right::any, "*"}}};

template <>
inline constexpr word_list<operator_role, 4> words_of<operator_role> = {
  {{operator_role::look, "look"},
   {operator_role::operate, "operate"},
   {operator_role::administer, "administer"},
   {operator_role::node, "node"}}};

} // namespace depositd

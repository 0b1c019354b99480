#pragma once

// What an operator's shell says to the engine, and what the engine asks of
// shards for an operator.

#include "messages/message.hpp"
#include "messages/queue.hpp"
#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

// -- the shell ----------------------------------------------------------------

/// A command by its name ("queue list") with its arguments as a JSON object.
struct admin_request {
  std::string command;
  std::string arguments;
};
DEPOSITD_MESSAGE(9, admin_request, command, arguments);

/// One JSON document with snake_case keys.
struct admin_reply {
  std::string document;
};
DEPOSITD_MESSAGE(10, admin_reply, document);

/// An operator's name and password, for the connection that this comes over as
/// long as it lasts. Never logged.
struct sign_in {
  std::string name;
  std::string password;
};
DEPOSITD_MESSAGE(86, sign_in, name, password);

struct signed_in {
  std::string role;
};
DEPOSITD_MESSAGE(87, signed_in, role);

/// The same by a door of this process, for an operator who has logged in there.
/// The register is asked anew each time: `ec::wrong_credentials` if the
/// operator is not in it any more, or has another password than the one that
/// `proof` stands for. Refused from anywhere else.
struct command_as {
  std::string operator_name;
  std::string from; ///< the address that it came from
  admin_request what;
  std::string proof = {}; ///< of `logged_in`
};
DEPOSITD_LOCAL(command_as);

/// An operator's name and password, as a door of this process was given them.
/// `ec::wrong_credentials`; `ec::throttled` after too many of `from`. Never
/// logged.
struct log_in {
  std::string name;
  std::string password;
  std::string from; ///< the address that it came from
};
DEPOSITD_LOCAL(log_in);

/// The digest of an operator's API token. `ec::wrong_credentials` if nobody has
/// it, or it has expired.
struct know_token {
  std::string digest; ///< SHA-256, hexadecimal
};
DEPOSITD_LOCAL(know_token);

struct logged_in {
  std::string name;
  std::string role;
  /// Stands for the password or the token, for as long as that is theirs. Never
  /// logged.
  std::string proof = {};
};
DEPOSITD_LOCAL(logged_in);

/// An empty hash (no such operator) takes as long as any. `ec::throttled` after
/// too many that were wrong.
struct check_password {
  std::string name;
  std::string from; ///< who tries
  std::string hash;
  std::string password;
};
DEPOSITD_LOCAL(check_password);

struct password_checked {
  bool right = false;
};
DEPOSITD_LOCAL(password_checked);

/// An operator's file: kept as a blob, then submitted like any deposit. `user`
/// need not have an account.
struct submit_file {
  std::string user;
  std::string file_name;
  std::string operation;      ///< doMDUpload, doQueryUpload, ...
  std::string content_base64; ///< with padding
};
DEPOSITD_LOCAL(submit_file);

/// A deposit that has ended, once more: a new submission with the payload that
/// is kept. `ec::not_found` if that is gone.
struct submit_again {
  std::string queue;
  std::string user;
  depositd::submission submission;
  std::string contents; ///< if they are in no blob, and kept
};
DEPOSITD_LOCAL(submit_again);

/// To the one who tells of reviews: is there something new?
struct look_for_reviews {};
DEPOSITD_LOCAL(look_for_reviews);

struct stop_engine {};
DEPOSITD_LOCAL(stop_engine);

// -- bulk actions -------------------------------------------------------------

struct park_matching {
  static constexpr bool takes_long = true; ///< whoever asks has to be patient

  std::string queue;              ///< empty: all
  std::vector<std::string> users; ///< empty: all
  micros from_us = 0;
  micros to_us = 0;
  bool parked = true;
  bool count_only = false;
};
DEPOSITD_MESSAGE(46, park_matching, queue, users, from_us, to_us, parked,
                 count_only);

struct matching_parked {
  std::uint64_t count = 0;
};
DEPOSITD_MESSAGE(47, matching_parked, count);

/// Ends a deposit that waits, parked or not: it counts as failed, for this
/// reason. `ec::not_found`: it does not wait any more; `ec::invalid_argument`:
/// somebody works on it, or it is no deposit.
struct cancel_deposit {
  item_id id = 0;
  std::string user; ///< whose it is, from the read model
  std::string reason;
};
DEPOSITD_MESSAGE(102, cancel_deposit, id, user, reason);

/// The same of all that match, slice by slice; those in work are passed over.
struct cancel_matching {
  static constexpr bool takes_long = true;

  std::string queue;              ///< empty: all
  std::vector<std::string> users; ///< empty: all
  micros from_us = 0;
  micros to_us = 0;
  std::string reason;
  bool count_only = false;
};
DEPOSITD_MESSAGE(103, cancel_matching, queue, users, from_us, to_us, reason,
                 count_only);

struct matching_cancelled {
  std::uint64_t matched = 0;
  std::uint64_t moved = 0; ///< of them, ended
};
DEPOSITD_MESSAGE(104, matching_cancelled, matched, moved);

/// Ends what the queue has now; answered when all of it is durably gone.
struct purge_queue {
  static constexpr bool takes_long = true;

  std::string queue;
};
DEPOSITD_MESSAGE(48, purge_queue, queue);

// -- questions ----------------------------------------------------------------

struct explain_item {
  item_id id = 0;
  std::string user; ///< whose it is, from the read model
};
DEPOSITD_MESSAGE(49, explain_item, id, user);

struct item_explained {
  bool live = false;
  std::string queue;
  std::string user;
  item_view item;
  member_explained member;
};
// Field by field: CAF skips one whose type is a local message.
DEPOSITD_MESSAGE(50, item_explained, live, queue, user, item, member.report,
                 member.suspended, member.server_suspended, member.processors,
                 member.processors_matching);

struct list_queues {};
DEPOSITD_MESSAGE(51, list_queues);

struct queues_listed {
  std::vector<queue_report> queues;
  bool suspended = false;
};
DEPOSITD_MESSAGE(52, queues_listed, queues, suspended);

struct list_users {
  std::string queue; ///< empty: all
};
DEPOSITD_MESSAGE(53, list_users, queue);

struct users_listed {
  std::vector<members_report> queues;
};
DEPOSITD_MESSAGE(54, users_listed, queues);

/// Whose turns come next. Never all users: there may be a million.
struct show_rings {
  std::string queue; ///< empty: all
  std::string user;  ///< only this one; empty: the first of all
  std::uint32_t count_max =
    0; ///< in turn, and as many that are not; at least 1
};
DEPOSITD_MESSAGE(151, show_rings, queue, user, count_max);

/// Of a user who was named also those queues that have nothing of it.
struct rings_shown {
  std::vector<ring_report> rings;
};
DEPOSITD_MESSAGE(152, rings_shown, rings);

} // namespace depositd

#pragma once

// What HTTP threads tell the door, and the door its workers. All of it stays in
// the process.

#include "adapters/doors/http/responder.hpp"
#include "messages/follow_control.hpp"
#include "messages/shard.hpp"

#include <memory>
#include <string>

namespace depositd::crossref {

/// Who says to be whom. Never logged.
struct credentials {
  std::string login; ///< as typed: user, or email/user
  std::string password;
  bool given = false;

  /// The user that the login names: what stands behind the last '/'.
  std::string user() const;
};

/// A file that was posted to /servlet/deposit or /v2/deposits.
struct deposit_request {
  std::shared_ptr<http::responder> answer;
  credentials who;
  std::string peer;
  std::string operation; ///< empty: the default
  std::string file_name; ///< as sent
  std::string trace;     ///< a legal `traceparent`, or empty
  std::shared_ptr<const std::string> bytes;
  bool synchronous = false;
};

/// The head of a request that has credentials in its query: is its body worth
/// reading?
struct deposit_begun {
  std::shared_ptr<http::gatekeeper> gate;
  credentials who;
  std::string peer;
  std::string operation; ///< of a deposit, if that is known
};

/// Asks for the result or the contents of a submission.
struct status_request {
  std::shared_ptr<http::responder> answer;
  credentials who;
  std::string peer;
  std::string type; ///< result or contents
  std::string file_name;
  std::string batch_id;
  std::string submission_id;
};

// -- workers ------------------------------------------------------------------

/// Checks a password. An empty hash (no such user) takes as long as any.
struct check_login {
  std::string hash;
  std::string password;
};

struct login_checked {
  bool right = false;
};

struct keep_blob {
  std::shared_ptr<const std::string> bytes;
};

struct blob_kept {
  std::string sha256;
};

struct fetch_blob {
  std::string sha256;
};

struct blob_fetched {
  std::string bytes;
};

/// Does for the door what blocks: a thread of its own.
using door_worker_actor =
  caf::typed_actor<caf::replies_to<check_login>::with<login_checked>,
                   caf::replies_to<keep_blob>::with<blob_kept>,
                   caf::replies_to<fetch_blob>::with<blob_fetched>>;

using door_actor = caf::typed_actor<
  caf::reacts_to<deposit_request>, caf::reacts_to<deposit_begun>,
  caf::reacts_to<status_request>, caf::reacts_to<control_changed>,
  caf::reacts_to<control_unknown>>;

} // namespace depositd::crossref

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::deposit_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::deposit_begun)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::status_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::check_login)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::login_checked)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::keep_blob)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::blob_kept)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::fetch_blob)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::blob_fetched)

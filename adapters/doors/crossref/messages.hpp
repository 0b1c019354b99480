#pragma once

// What HTTP threads tell the door. All of it stays in the process.

#include "adapters/doors/accounts/given_fields.hpp"
#include "adapters/doors/http/responder.hpp"
#include "messages/follow_control.hpp"
#include "messages/shard.hpp"

#include <memory>
#include <string>

namespace depositd::crossref {

using accounts::credentials;

/// A file that was posted to /servlet/deposit or /v2/deposits.
struct deposit_request {
  std::shared_ptr<http::responder> answer;
  credentials who;
  std::string peer;
  std::string operation; ///< empty: the default
  std::string file_name; ///< as sent
  std::string trace;     ///< a legal `traceparent`, or empty
  std::shared_ptr<const std::string> bytes;
  std::size_t files = 1; ///< in the form; only the first is taken
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

using door_actor = caf::typed_actor<
  caf::reacts_to<deposit_request>, caf::reacts_to<deposit_begun>,
  caf::reacts_to<status_request>, caf::reacts_to<control_changed>,
  caf::reacts_to<control_unknown>>;

} // namespace depositd::crossref

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::deposit_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::deposit_begun)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::status_request)

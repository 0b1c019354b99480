#pragma once

// What HTTP threads tell the door. All of it stays in the process.

#include "adapters/doors/accounts/given_fields.hpp"
#include "adapters/doors/http/responder.hpp"
#include "adapters/doors/poster/submission.hpp"
#include "messages/follow_control.hpp"
#include "messages/orders.hpp"
#include "messages/shard.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace depositd::poster {

/// A form that was posted: what is understood of it, and what it is part of.
struct posted_form {
  http::request request;
  http::form form;  ///< of the request's body
  caf::error fault; ///< why there is nothing in `what`
  depositd::poster::submission what;
};

struct submit_request {
  std::shared_ptr<http::responder> answer;
  accounts::credentials who;
  std::string peer;
  std::shared_ptr<const posted_form> posted;
};

/// The head of a request that says who sends it: is its body worth reading?
struct submit_begun {
  std::shared_ptr<http::gatekeeper> gate;
  accounts::credentials who;
  std::string peer;
};

enum class document_kind : std::uint8_t { batch, job };

/// Asks for the document of a batch or a job.
struct document_request {
  std::shared_ptr<http::responder> answer;
  accounts::credentials who;
  std::string peer;
  document_kind kind = document_kind::batch;
  std::string id; ///< number or uuid, as sent
};

/// Wants something done with what is stored, or the user's requests for
/// deletion.
struct order_request {
  std::shared_ptr<http::responder> answer;
  accounts::credentials who;
  std::string peer;
  preservation_order what; ///< without who asks
  std::string reason;      ///< of a deletion
  bool lists = false;
};

using door_actor = caf::typed_actor<
  caf::reacts_to<submit_request>, caf::reacts_to<submit_begun>,
  caf::reacts_to<document_request>, caf::reacts_to<order_request>,
  caf::reacts_to<control_changed>, caf::reacts_to<control_unknown>>;

} // namespace depositd::poster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::poster::submit_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::poster::submit_begun)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::poster::document_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::poster::order_request)

#pragma once

// What HTTP threads tell the door. All of it stays in the process.

#include "adapters/doors/accounts/given_fields.hpp"
#include "adapters/doors/http/responder.hpp"
#include "messages/follow_control.hpp"
#include "messages/shard.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace depositd::deposits {

/// What a browser shows to be let in. Never logged.
struct pass {
  std::string session; ///< of its cookie; empty: none
  std::string csrf;    ///< of the header; for requests that change something
};

/// Opens a session.
struct log_in_request {
  std::shared_ptr<http::responder> answer;
  accounts::credentials who;
  std::string peer;
  bool secure = false;
};

enum class wanted : std::uint8_t {
  session,    ///< who is logged in
  leave,      ///< to be so no longer
  mine,       ///< a page of the user's submissions
  submission, ///< one of them
  place,      ///< where the user stands
};

struct page_request {
  std::shared_ptr<http::responder> answer;
  pass shown;
  wanted what = wanted::session;
  item_id id = 0;    ///< the submission, or the one that a page comes after
  std::string known; ///< ETags that the browser has
};

/// The head of a request with a file: is its body worth reading?
struct file_begun {
  std::shared_ptr<http::gatekeeper> gate;
  pass shown;
  std::string operation; ///< empty: the default
  bool deposits = true;  ///< false: the file is only to be checked
};

struct upload_request {
  std::shared_ptr<http::responder> answer;
  pass shown;
  std::string operation; ///< empty: the default
  std::string file_name; ///< as sent
  std::string trace;     ///< a legal `traceparent`, or empty
  std::shared_ptr<const std::string> bytes;
};

using door_actor =
  caf::typed_actor<caf::reacts_to<log_in_request>, caf::reacts_to<page_request>,
                   caf::reacts_to<file_begun>, caf::reacts_to<upload_request>,
                   caf::reacts_to<control_changed>,
                   caf::reacts_to<control_unknown>>;

} // namespace depositd::deposits

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::deposits::log_in_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::deposits::page_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::deposits::file_begun)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::deposits::upload_request)

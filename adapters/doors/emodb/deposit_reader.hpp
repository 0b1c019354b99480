#pragma once

// What a worker sees of a deposit: its metadata, and with a claim also the
// document that was deposited.

#include "adapters/doors/http/responder.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/receiving.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::emodb {

/// Claims of deposits whose documents are to be read and answered.
struct answer_deposits {
  std::string queue; ///< the core's name
  std::vector<received_item> items;
  std::shared_ptr<http::responder> answer;
  /// What becomes of them if the client does not get them.
  std::function<void(const std::vector<received_item>&)> give_back;
};

/// Waits for the disk: on a thread of its own.
using deposit_reader_actor
  = caf::typed_actor<caf::replies_to<answer_deposits>::with<done>>;

deposit_reader_actor::behavior_type
deposit_reader(deposit_reader_actor::pointer self,
               std::shared_ptr<blob_store> blobs);

/// A deposit's metadata as it lies in its item.
struct deposit_view {
  std::string_view submission_body;
  std::string_view user;
  micros received_us = 0;
};

/// Appends a JSON object; `blobs` null leaves the document out.
void append_deposit(std::string& out, const deposit_view& x, blob_store* blobs);

} // namespace depositd::emodb

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::emodb::answer_deposits)

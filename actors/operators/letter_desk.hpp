#pragma once

// Dead letters, for operators.

#include "messages/actors.hpp"
#include "messages/letters.hpp"
#include "messages/ports/record_log.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace depositd::operators {

struct letter_desk_options {
  /// The topic of dead letters, to be read by one question.
  std::function<caf::expected<std::unique_ptr<record_source>>()> open_letters;
  std::function<caf::expected<std::unique_ptr<record_sink>>()> open_sink;
  /// How records are written there; the id is not asked for.
  std::function<letter(source_record)> read;
  /// Letters go back nowhere else, whatever they say.
  std::string ingress_topic;
  /// What one question may take.
  std::chrono::milliseconds patience{10'000};
};

/// `ec::invalid_argument`: no letter's id, or no page's `next`;
/// `ec::not_found`: there is no such letter (any more); `ec::not_allowed`: it
/// cannot go back; `ec::store_failed`: no broker answers in time. Waits for
/// brokers, so wiring spawns it detached.
letter_desk_actor::behavior_type letter_desk(letter_desk_actor::pointer self,
                                             letter_desk_options options);

} // namespace depositd::operators

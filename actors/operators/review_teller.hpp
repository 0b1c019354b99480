#pragma once

// Tells administrators that jobs need them: looks into the read model every now
// and then, and says what is new of each cause.

#include "actors/rules/reviews/reviews.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/operators.hpp"
#include "messages/ports/notifiers.hpp"
#include "messages/ports/work_reader.hpp"
#include "messages/values/clock.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd::operators {

struct review_teller_options {
  std::shared_ptr<work_reader> work;
  std::shared_ptr<mailer> mail; ///< null: nobody gets mail
  std::vector<std::string> mail_to;
  std::shared_ptr<callback_sender> callbacks;
  std::string webhook; ///< URL; empty: none is called
  std::string webhook_key;
  std::chrono::seconds interval{900}; ///< each cause at most once
  std::chrono::milliseconds pause{15'000};
  /// Jobs that nothing has moved for so long are told, too; 0: they are not.
  std::chrono::seconds stage_age{0};
  /// Of engines that share their users one tells; null: this one does.
  std::function<bool()> leads;
  engine_clock clock = engine_clock::system();
};

/// One way to tell, with what was told by it.
struct review_channel {
  const char* name = "";
  std::function<caf::error(const rules::review_news&)> tell;
  rules::reviews known;
};

struct review_teller_state {
  using interface = review_teller_actor;

  review_teller_options options;
  std::vector<review_channel> channels;
  micros since_us = never; ///< what changed before has been seen
  micros looked_us = 0;    ///< when the look began that is under way
  /// Where it goes on, if one look did not show all; of each shard.
  std::vector<item_id> shown;
};

/// Blocks on the read model, mail and the web, so wiring spawns it detached.
/// After a restart it may repeat what it said in the same interval, under the
/// same ids.
review_teller_actor::behavior_type
review_teller(actor_with<review_teller_state>* self,
              review_teller_options options);

/// What is written, and what the webhook gets.
mail review_mail(const rules::review_news& x);
callback review_callback(const rules::review_news& x);

} // namespace depositd::operators

#pragma once

// Looks into one receiving place and makes a batch of one job of each bag that
// has none yet.

#include "messages/ports/inventory.hpp"
#include "messages/ports/receiving_place.hpp"
#include "messages/ports/work_reader.hpp"
#include "messages/values/trouble.hpp"
#include "messages/work.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace depositd::aptrust {

struct bag_reader_options {
  std::string place; ///< its name
  std::string user;  ///< the institution
  std::string collection;
  std::shared_ptr<receiving_place> bags;
  std::shared_ptr<work_reader> reads;
  std::shared_ptr<depositd::inventory> inventory;
  /// Makes a batch durable.
  std::function<caf::expected<item_id>(submit_batch)> submit;
  /// Null: always. Of engines that share users, one looks.
  std::function<bool()> leads;
  /// How long bags that are not valid stay; 0: for good. None goes within an
  /// hour of the start.
  std::chrono::hours invalid_retention{14 * 24};
  std::function<micros()> now;
  /// What this machine's clock shows; null: what `now` tells. What is old by
  /// one of the two alone stays: either may have been wrong at the start.
  std::function<micros()> wall;
};

/// Bags that were refused for one reason.
struct refused_bags {
  std::string first; ///< its name, for people
  std::uint64_t count = 0;
};
using refusal_map = std::map<std::string, refused_bags>;

struct bags_read {
  std::uint64_t seen = 0;
  std::uint64_t submitted = 0;
  std::uint64_t removed = 0;
  std::uint64_t refused = 0; ///< the next look tries them again
  /// Why they were; of very many reasons the first.
  refusal_map refusals = {};
  /// Why bags are still there that should be gone, likewise.
  refusal_map kept = {};
  /// Names of what is no bag, and was not there at the look before; for people.
  std::vector<std::string> passed_over = {};
};

/// The uuid of the batch for a bag: the same for the same bytes under the same
/// name, so that nobody makes it twice. `again`: how many were made of it
/// before, of which each was cancelled, or its object deleted.
std::string batch_uuid(const bag_reader_options& by, const received_bag& bag,
                       std::uint32_t again);

/// What an institution's object is called that comes in this bag.
std::string object_of_bag(const std::string& user, const std::string& name);

/// Not for several threads. Holds one bag in memory at a time.
class bag_reader {
public:
  explicit bag_reader(bag_reader_options options);

  /// One look. A bag that cannot be submitted now is passed over.
  caf::expected<bags_read> run();

  /// The same, told to the log, each reason once; false: it could not be done.
  bool run_and_log();

private:
  struct known_item;

  caf::error take(const received_bag& bag);
  caf::expected<known_item> last_of(const received_bag& bag);
  caf::expected<bool> is_active(const received_bag& bag);
  void submit(const received_bag& bag, std::uint32_t again);
  void remove(const received_bag& bag);
  bool is_past(micros changed_us) const;

  void note_passed_over();
  void log_refusals(const bags_read& done);

  const bag_reader_options options_;
  const micros removes_from_us_;
  bags_read done_;
  std::set<std::string> passed_over_; ///< at the last look
  std::set<std::string> refusals_;    ///< reasons, likewise
  std::set<std::string> kept_;        ///< reasons, likewise
  std::size_t not_removed_ = 0;       ///< in a row, of this look
  trouble reading_;
};

} // namespace depositd::aptrust

#include "adapters/bagit/reading.hpp"

#include "adapters/bagit/digesting.hpp"
#include "adapters/bagit/walking.hpp"

namespace depositd::bagit {

namespace {

/// Tells a visitor, with digests.
class visiting : public walk_client {
public:
  visiting(const read_options& options, bag_visitor& visitor)
    : visitor_(visitor) {
    for (const auto x : options.digests)
      add_algorithm(algorithms_, x);
  }

  caf::expected<bool> begin(const bag_file& x) override {
    digests_.begin(algorithms_);
    if (auto failure = visitor_.begin(x))
      return failure;
    return true;
  }

  caf::error bytes(std::string_view part) override {
    digests_.add(part);
    return visitor_.bytes(part);
  }

  caf::error end(bag_file& x) override {
    x.digests = digests_.finish();
    return visitor_.end(x);
  }

private:
  bag_visitor& visitor_;
  std::vector<digest_algorithm> algorithms_;
  digest_run digests_;
};

} // namespace

caf::expected<bag_totals> read_bag(const bag_source& from,
                                   const read_options& options,
                                   bag_visitor& visitor) {
  visiting client{options, visitor};
  bag_totals totals;
  if (auto stop = walk({from, options.limits}, client, totals))
    return std::move(stop->error);
  return totals;
}

} // namespace depositd::bagit

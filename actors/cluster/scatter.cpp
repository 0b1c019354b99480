#include "actors/cluster/scatter.hpp"

#include "messages/values/test_points.hpp"

#include <caf/sec.hpp>

namespace depositd::cluster {

namespace {

class part_asked final : public asker {
public:
  part_asked(std::shared_ptr<joining> all, std::size_t part)
    : all_(std::move(all)), part_(part) {}

  void take(caf::type_erased_tuple& answer) override {
    all_->take(part_, answer);
  }

  void fail(const caf::error& why) override {
    all_->fail(why);
  }

private:
  std::shared_ptr<joining> all_;
  std::size_t part_;
};

} // namespace

repeats permitted(repeats by_rule) {
  return seeded_bug("lost_answer_sent_again") ? repeats::harmless : by_rule;
}

joining::joining(std::size_t parts, caf::response_promise promise)
  : open_(parts + 1), promise_(std::move(promise)) {}

void joining::take(std::size_t part, caf::type_erased_tuple& answer) {
  if (join(part, answer))
    arrived();
  else
    fail(caf::make_error(caf::sec::unexpected_response));
}

void joining::fail(const caf::error& why) {
  if (!failure_)
    failure_ = why;
  arrived();
}

void joining::arrived() {
  if (--open_ > 0)
    return;
  if (failure_)
    promise_.deliver(failure_);
  else
    promise_.deliver(joined());
}

asker_ptr asker_for(std::shared_ptr<joining> all, std::size_t part) {
  return std::make_unique<part_asked>(std::move(all), part);
}

} // namespace depositd::cluster

// Bodies of records that failed: the tables keep them with the record, as its
// item is gone when somebody looks.

#include "actors/projection/parts.hpp"

#include <spdlog/spdlog.h>

#include <string>

namespace depositd::projection {

namespace {

/// Reads bodies until they are too much for the memory.
class body_reading {
public:
  body_reading(projector_state& state, const rules::slice_fold& fold)
    : state_(state), fold_(fold) {
    // nop
  }

  std::string read(item_id id) {
    const auto place = place_of(id);
    if (place.length == 0)
      return {};
    if (place.length > room_) {
      ++left_out;
      return {};
    }
    room_ -= place.length;
    auto body = state_.options.journal->read_body(place);
    if (body)
      return std::move(*body);
    spdlog::warn("body_not_read item={} reason=\"{}\"", id,
                 render(body.error()));
    return {};
  }

  std::size_t left_out = 0;

private:
  /// The slice is not in the tables yet.
  body_location place_of(item_id id) const {
    const auto& known = fold_.failed_bodies();
    if (const auto at = known.find(id); at != known.end())
      return at->second;
    const auto row = state_.options.projection->item(id);
    return row ? row->place : body_location{};
  }

  projector_state& state_;
  const rules::slice_fold& fold_;
  std::uint64_t room_ = 4 * failed_bytes_per_slice;
};

} // namespace

void add_failed_bodies(projector_state& state, slice& x) {
  body_reading bodies{state, *state.fold};
  for (auto& row : x.records_put)
    if (row.state == record_state::failed && row.refused == 0)
      row.body = bodies.read(row.id);
  for (auto& end : x.records_changed)
    if (end.state == record_state::failed)
      end.body = bodies.read(end.id);
  if (bodies.left_out > 0)
    spdlog::warn("failed_bodies_left_out records={}", bodies.left_out);
}

} // namespace depositd::projection

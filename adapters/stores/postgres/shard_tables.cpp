#include "adapters/stores/postgres/shard_tables.hpp"

namespace depositd::postgres {

caf::error bulk_writer::finish() {
  if (count_ == 0)
    return {};
  auto done = to_.run(sql_, parameters{shard_, rows_});
  if (done && done->changed() == count_)
    return {};
  if (done)
    return to_.damaged("a row that is to change is missing");
  constexpr std::string_view unique_violation = "23505";
  return to_.state() == unique_violation
           ? to_.damaged("one of the new rows is there already")
           : std::move(done.error());
}

caf::expected<std::uint64_t>
submission_documents::forget(micros finished_before_us,
                             std::uint32_t count_max) {
  const auto done =
    in_.on().run(statements::forget_submissions,
                 parameters{in_.shard(), finished_before_us, count_max});
  if (!done)
    return done.error();
  return done->changed();
}

caf::expected<std::uint64_t>
submission_documents::forget(const std::vector<item_id>& ids) {
  const auto done = in_.on().run(statements::forget_these_submissions,
                                 parameters{in_.shard(), column_of(ids)});
  if (!done)
    return done.error();
  return done->changed();
}

} // namespace depositd::postgres

#include "adapters/stores/postgres/journal_reader.hpp"

#include "adapters/stores/postgres/statements.hpp"

#include <algorithm>
#include <limits>

namespace depositd::postgres {

namespace {

/// Of groups that are read at once; a larger one comes alone.
constexpr std::uint64_t batch_bytes = 4 * 1024 * 1024;

constexpr std::string_view undefined_table = "42P01";

connection_options named(const postgres_options& options, const char* name) {
  return {.url = options.url, .name = name};
}

std::string name_of(std::uint32_t shard, std::uint64_t segment) {
  return statements::table(shard, segment);
}

} // namespace

journal_reader::journal_reader(const postgres_options& options,
                               std::shared_ptr<journal_view> log)
  : options_(options),
    log_(std::move(log)),
    groups_(named(options, "journal reader"), options.patience_ms),
    bodies_(named(options, "body reader"), options.patience_ms) {
  // nop
}

caf::error journal_reader::gone(sequence where) const {
  return caf::make_error(ec::not_found, "sequence " + std::to_string(where)
                                          + " is in the journal no longer");
}

caf::expected<result> journal_reader::batch(std::uint64_t segment,
                                            sequence next, sequence end) {
  auto out = groups_.repeatable([&](connection& from) -> caf::expected<result> {
    const auto sql = statements::groups_from(name_of(options_.shard, segment));
    auto rows = from.run(sql, parameters{next, end, batch_bytes});
    // Dropped since it was looked up.
    if (!rows && from.state() == undefined_table
        && !log_->segments.find(segment))
      return gone(next);
    return rows;
  });
  if (!out || out->rows() > 0)
    return out;
  if (!log_->segments.find(segment))
    return gone(next);
  return caf::make_error(ec::store_damaged,
                         "postgres: sequence " + std::to_string(next)
                           + " is missing in "
                           + name_of(options_.shard, segment));
}

caf::error journal_reader::take(const result& rows, int row, sequence next,
                                bool is_first, stored_group& out) {
  rows.read(row, 0, out.first);
  rows.read(row, 1, out.last);
  rows.read(row, 2, out.epoch);
  out.group = out.first;
  out.bytes = rows.raw(row, 5);
  const auto where = [&] {
    return "the group of sequences " + std::to_string(out.first) + " to "
           + std::to_string(out.last);
  };
  const auto fits = is_first ? out.first <= next && out.last >= next
                             : out.first == next && out.last >= next;
  if (!fits)
    return caf::make_error(ec::store_damaged,
                           "postgres: sequence " + std::to_string(next)
                             + " is missing before " + where());
  if (rows.number(row, 3)
      != group_checksum(options_.shard, out, rows.raw(row, 4)))
    return caf::make_error(ec::store_damaged,
                           "postgres: " + where()
                             + " does not match its checksum");
  return decode(rows.raw(row, 4), out.watermarks);
}

caf::error
journal_reader::read(sequence from,
                     const std::function<bool(const stored_group&)>& show) {
  auto next = std::max<sequence>(from, 1);
  const auto end = log_->last.load(std::memory_order_acquire);
  auto is_first = true;
  stored_group group;
  while (next <= end) {
    const auto segment = log_->segments.holding(next);
    if (!segment)
      return gone(next);
    const auto rows = batch(*segment, next, end);
    if (!rows)
      return rows.error();
    for (int row = 0; row < rows->rows(); ++row) {
      if (auto error = take(*rows, row, next, is_first, group))
        return error;
      is_first = false;
      next = group.last + 1;
      if (!show(group))
        return {};
    }
  }
  return {};
}

caf::expected<std::string>
journal_reader::read_body(const body_location& place) {
  constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max() - 1;
  const auto missing = [&] {
    return caf::make_error(ec::not_found,
                           "no body at " + std::to_string(place.group) + "+"
                             + std::to_string(place.offset));
  };
  const auto segment = log_->segments.holding(place.group);
  if (!segment || place.offset > most || place.length > most)
    return missing();
  using body = caf::expected<std::string>;
  return bodies_.repeatable([&](connection& from) -> body {
    const auto rows =
      from.run(statements::body(name_of(options_.shard, *segment)),
               parameters{place.group, place.offset, place.length});
    if (!rows)
      return from.state() == undefined_table && !log_->segments.find(*segment)
               ? missing()
               : rows.error();
    const auto needed = std::uint64_t{place.offset} + place.length;
    if (rows->rows() == 0 || rows->number(0, 0) < needed)
      return missing();
    return std::string{rows->raw(0, 1)};
  });
}

caf::error journal_reader::drop(std::uint64_t number, epoch_number epoch) {
  const auto known = log_->segments.find(number);
  if (!known)
    return caf::make_error(ec::not_found,
                           "no segment " + std::to_string(number));
  if (known->open)
    return caf::make_error(ec::invalid_argument, "segment "
                                                   + std::to_string(number)
                                                   + " is still written to");
  const auto shard = options_.shard;
  auto failed = groups_.repeatable([&](connection& to) {
    return to.transact([&]() -> caf::error {
      const auto owner =
        to.run(statements::hold_epoch, parameters{shard, epoch});
      if (!owner)
        return owner.error();
      if (owner->rows() == 0)
        return caf::make_error(ec::fenced,
                               std::string{"another engine has the shard"});
      if (auto error =
            to.execute(statements::delete_segment, parameters{shard, number}))
        return error;
      return to.script(statements::drop_table(name_of(shard, number)));
    });
  });
  if (!failed)
    log_->segments.erase(number);
  return failed;
}

std::uint64_t journal_reader::disk_bytes() {
  const auto rows = groups_.repeatable([&](connection& from) {
    return from.run(statements::disk_bytes,
                    parameters{statements::tables_of(options_.shard)});
  });
  return rows ? rows->number(0, 0) : 0;
}

} // namespace depositd::postgres

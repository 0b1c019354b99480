#include "adapters/stores/postgres/projection_rows.hpp"
#include "adapters/stores/postgres/projection_statements.hpp"
#include "messages/values/row_changes.hpp"

#include <algorithm>
#include <unordered_map>

namespace depositd::postgres {

namespace {

caf::error missing(const char* what) {
  return damaged_table(std::string{"an item that is to "} + what
                       + " is missing");
}

} // namespace

std::uint64_t item_table::checksum_of(const item_row& x) {
  return checksum_.of("items")
    .all(x.id, x.queue, x.user, x.priority, x.size, x.received_us, x.digest,
         x.kind, x.place.group, x.place.offset, x.place.length, x.state,
         x.attempt, x.available_us, x.token, x.deadline_us, x.local,
         x.processor)
    .value();
}

caf::error item_table::read(const result& rows, int row, item_row& x) {
  rows.read(row, 0, x.id);
  rows.read(row, 1, x.queue);
  rows.read(row, 2, x.user);
  rows.read(row, 3, x.priority);
  rows.read(row, 4, x.size);
  rows.read(row, 5, x.received_us);
  rows.read(row, 6, x.digest);
  rows.read(row, 7, x.kind);
  rows.read(row, 8, x.place.group);
  rows.read(row, 9, x.place.offset);
  rows.read(row, 10, x.place.length);
  rows.read(row, 11, x.state);
  rows.read(row, 12, x.attempt);
  rows.read(row, 13, x.available_us);
  rows.read(row, 14, x.token);
  rows.read(row, 15, x.deadline_us);
  rows.read(row, 16, x.local);
  rows.read(row, 17, x.processor);
  if (rows.number(row, 18) != checksum_of(x))
    return damaged_table("item " + std::to_string(x.id)
                         + " does not match its checksum");
  return {};
}

caf::error item_table::put(connection& to, const std::vector<item_row>& rows,
                           table_sum& sum) {
  if (rows.empty())
    return {};
  auto all = columns("nttnnnnnnnnnnnnnntn");
  for (const auto& x : rows) {
    const auto checksum = checksum_of(x);
    add_row(all, x.id, x.queue, x.user, x.priority, x.size, x.received_us,
            x.digest, x.kind, x.place.group, x.place.offset, x.place.length,
            x.state, x.attempt, x.available_us, x.token, x.deadline_us,
            x.local, x.processor, checksum);
    sum.put(checksum);
  }
  return insert(to, statements::put_items, with_columns(shard_, all), "items");
}

caf::error item_table::change(connection& to,
                              const std::vector<item_change>& changes,
                              table_sum& sum,
                              std::vector<body_location>& freed) {
  if (changes.empty())
    return {};
  auto ids = columns("n");
  for (const auto& x : changes)
    add_row(ids, x.id);
  auto found = find(to, " AND id = ANY($2::bigint[])",
                    with_columns(shard_, ids));
  if (!found)
    return std::move(found.error());
  std::unordered_map<item_id, item_row*> by_id;
  for (auto& row : *found) {
    sum.drop(checksum_of(row));
    by_id.emplace(row.id, &row);
  }
  for (const auto& x : changes) {
    const auto at = by_id.find(x.id);
    if (at == by_id.end())
      return missing("change");
    auto& row = *at->second;
    const auto place = row.place;
    apply_change(row, x);
    if (place.length > 0 && place != row.place)
      freed.push_back(place);
  }
  auto all = columns("ntnnnnnnnnntn");
  for (const auto& x : *found) {
    const auto checksum = checksum_of(x);
    add_row(all, x.id, x.queue, x.place.group, x.place.offset, x.place.length,
            x.state, x.attempt, x.available_us, x.token, x.deadline_us,
            x.local, x.processor, checksum);
    sum.put(checksum);
  }
  auto done = to.run(statements::change_items, with_columns(shard_, all));
  if (!done)
    return std::move(done.error());
  return done->changed() == found->size() ? caf::error{} : missing("change");
}

caf::error item_table::drop(connection& to, const std::vector<item_id>& ids,
                            table_sum& sum, std::vector<body_location>& freed) {
  if (ids.empty())
    return {};
  auto all = columns("n");
  for (const auto id : ids)
    add_row(all, id);
  const auto gone
    = to.run(statements::delete_items, with_columns(shard_, all));
  if (!gone)
    return gone.error();
  if (static_cast<std::size_t>(gone->rows()) != ids.size())
    return missing("leave");
  body_location place;
  for (int row = 0; row < gone->rows(); ++row) {
    gone->read(row, 0, place.group);
    gone->read(row, 1, place.offset);
    gone->read(row, 2, place.length);
    if (place.length > 0)
      freed.push_back(place);
    sum.drop(gone->number(row, 3));
  }
  return {};
}

caf::error item_table::load(connection& from, const table_sum& sum,
                            const std::function<void(const item_row&)>& show) {
  table_sum found;
  item_row x;
  auto failed = from.stream(
    statements::items_where(" ORDER BY \"user\", id"),
    parameters{}.add(shard_), [&](const result& one) -> caf::error {
      if (auto error = read(one, 0, x))
        return error;
      found.put(one.number(0, 18));
      show(x);
      return {};
    });
  return failed ? failed : compare("item_rows", found, sum);
}

caf::expected<std::vector<item_row>>
item_table::find(connection& from, std::string_view condition,
                 const parameters& x) {
  const auto rows = from.run(statements::items_where(condition), x);
  if (!rows)
    return rows.error();
  std::vector<item_row> out(static_cast<std::size_t>(rows->rows()));
  for (int row = 0; row < rows->rows(); ++row)
    if (auto error = read(*rows, row, out[static_cast<std::size_t>(row)]))
      return error;
  return out;
}

} // namespace depositd::postgres

#include "adapters/stores/sqlite/item_rows.hpp"

#include "adapters/stores/sqlite/item_groups.hpp"
#include "adapters/stores/sqlite/keyed_rows.hpp"
#include "adapters/stores/sqlite/statements.hpp"
#include "messages/values/row_changes.hpp"

#include <algorithm>

namespace depositd::sqlite {

namespace {

/// By id, as the rows are in the file: neighbours share their pages.
std::vector<const item_change*>
in_file_order(const std::vector<item_change>& changes) {
  std::vector<const item_change*> out;
  out.reserve(changes.size());
  for (const auto& x : changes)
    out.push_back(&x);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto* x, const auto* y) { return x->id < y->id; });
  return out;
}

} // namespace

item_rows::item_rows(database& file) : file_(file) {
  // nop
}

std::uint64_t item_rows::checksum_of(const item_row& x) {
  return checksum_.of("items")
    .all(x.id, x.queue, x.user, x.priority, x.size, x.received_us, x.digest,
         x.kind, x.place.group, x.place.offset, x.place.length, x.state,
         x.attempt, x.available_us, x.token, x.deadline_us, x.local,
         x.processor)
    .value();
}

caf::error item_rows::read(const statement& from, item_row& x) {
  from.read(0, x.id);
  from.read(1, x.queue);
  from.read(2, x.user);
  from.read(3, x.priority);
  from.read(4, x.size);
  from.read(5, x.received_us);
  from.read(6, x.digest);
  from.read(7, x.kind);
  from.read(8, x.place.group);
  from.read(9, x.place.offset);
  from.read(10, x.place.length);
  from.read(11, x.state);
  from.read(12, x.attempt);
  from.read(13, x.available_us);
  from.read(14, x.token);
  from.read(15, x.deadline_us);
  from.read(16, x.local);
  from.read(17, x.processor);
  from.read(18, stored_);
  if (stored_ != checksum_of(x))
    return file_.damaged("item " + std::to_string(x.id)
                         + " does not match its checksum");
  return {};
}

caf::error item_rows::missing(item_id id) const {
  return file_.damaged("item " + std::to_string(id) + " is missing");
}

caf::error item_rows::put(const std::vector<item_row>& rows, table_sum& sum) {
  auto insert = file_.prepare(statements::put_item);
  if (!insert)
    return std::move(insert.error());
  for (const auto& x : rows) {
    const auto checksum = checksum_of(x);
    auto error =
      insert
        ->bind(x.id, x.queue, x.user, x.priority, x.size, x.received_us,
               x.digest, x.kind, x.place.group, x.place.offset, x.place.length,
               x.state, x.attempt, x.available_us, x.token, x.deadline_us,
               x.local, x.processor, checksum)
        .run();
    if (error)
      return error;
    sum.put(checksum);
  }
  return {};
}

caf::error item_rows::change(const std::vector<item_change>& changes,
                             table_sum& sum,
                             std::vector<body_location>& freed) {
  auto find = file_.prepare(statements::item);
  auto update = file_.prepare(statements::change_item);
  if (!find || !update)
    return std::move(!find ? find.error() : update.error());
  auto move = file_.prepare(statements::move_item);
  if (!move)
    return std::move(move.error());
  item_row x;
  for (const auto* next : in_file_order(changes)) {
    const auto& change = *next;
    const auto found = find->bind(change.id).next();
    if (!found)
      return found.error();
    if (!*found)
      return missing(change.id);
    if (auto error = read(*find, x))
      return error;
    sum.drop(stored_);
    const auto place = x.place;
    apply_change(x, change);
    if (place.length > 0 && place != x.place)
      freed.push_back(place);
    const auto checksum = checksum_of(x);
    auto error = update
                   ->bind(x.state, x.attempt, x.available_us, x.token,
                          x.deadline_us, x.local, x.processor, x.place.group,
                          x.place.offset, x.place.length, checksum, x.id)
                   .run();
    if (!error && change.has_queue)
      error = move->bind(x.queue, x.id).run();
    if (error)
      return error;
    sum.put(checksum);
  }
  return {};
}

caf::error item_rows::drop(const std::vector<item_id>& ids, table_sum& sum,
                           std::vector<body_location>& freed) {
  auto find = file_.prepare(statements::place_of_item);
  auto remove = file_.prepare(statements::delete_item);
  if (!find || !remove)
    return std::move(!find ? find.error() : remove.error());
  freed.reserve(freed.size() + ids.size());
  auto sorted = ids; // as in the file, see above
  std::sort(sorted.begin(), sorted.end());
  body_location place;
  for (const auto id : sorted) {
    const auto found = find->bind(id).next();
    if (!found)
      return found.error();
    if (!*found)
      return missing(id);
    find->read(0, place.group);
    find->read(1, place.offset);
    find->read(2, place.length);
    if (place.length > 0)
      freed.push_back(place);
    sum.drop(find->number(3));
    if (auto error = remove->bind(id).run())
      return error;
  }
  return {};
}

caf::error item_rows::load(const table_sum& sum,
                           const std::function<void(const item_row&)>& show) {
  auto all = file_.prepare(statements::items);
  if (!all)
    return std::move(all.error());
  item_groups groups{sum.rows};
  table_sum found;
  item_row x;
  for (;;) {
    const auto row = all->next();
    if (!row)
      return row.error();
    if (!*row)
      break;
    if (auto error = read(*all, x))
      return error;
    found.put(stored_);
    groups.add(x);
  }
  if (auto error = compare(file_, "items", found, sum))
    return error;
  groups.show(show);
  return {};
}

caf::expected<item_row> item_rows::one(item_id id) {
  auto find = file_.prepare(statements::item);
  if (!find)
    return std::move(find.error());
  const auto found = find->bind(id).next();
  if (!found)
    return found.error();
  if (!*found)
    return caf::make_error(ec::not_found, "no item " + std::to_string(id));
  item_row out;
  if (auto error = read(*find, out))
    return error;
  return out;
}

caf::expected<std::vector<item_row>>
item_rows::of_queue(const std::string& queue, std::uint32_t count_max) {
  auto find = file_.prepare(statements::items_of_queue);
  if (!find)
    return std::move(find.error());
  find->bind(queue, count_max);
  std::vector<item_row> out;
  for (;;) {
    const auto row = find->next();
    if (!row)
      return row.error();
    if (!*row)
      return out;
    if (auto error = read(*find, out.emplace_back()))
      return error;
  }
}

} // namespace depositd::sqlite

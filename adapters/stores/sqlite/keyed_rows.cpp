#include "adapters/stores/sqlite/keyed_rows.hpp"

#include "adapters/stores/sqlite/statements.hpp"

namespace depositd::sqlite {

caf::error compare(const database& file, const char* table,
                   const table_sum& found, const table_sum& written) {
  if (found == written)
    return {};
  return file.damaged(std::string{"table "} + table + " has "
                      + std::to_string(found.rows) + " rows that are not the "
                      + std::to_string(written.rows) + " last written");
}

ring_rows::ring_rows(database& file) : file_(file) {
  // nop
}

control_rows::control_rows(database& file) : file_(file) {
  // nop
}

std::uint64_t ring_rows::checksum_of(const ring_row& x) {
  return checksum_.of("rings").all(x.queue, x.user, x.stamp, x.credit).value();
}

std::uint64_t control_rows::checksum_of(const control_row& x) {
  return checksum_.of("controls").all(x.kind, x.key, x.value).value();
}

caf::error ring_rows::put(const std::vector<ring_row>& rows, table_sum& sum) {
  auto old = file_.prepare(statements::ring_checksum);
  auto insert = file_.prepare(statements::put_ring);
  if (!old || !insert)
    return std::move(!old ? old.error() : insert.error());
  for (const auto& x : rows) {
    const auto found = old->bind(x.queue, x.user).next();
    if (!found)
      return found.error();
    if (*found)
      sum.drop(old->number(0));
    const auto checksum = checksum_of(x);
    auto error =
      insert->bind(x.queue, x.user, x.stamp, x.credit, checksum).run();
    if (error)
      return error;
    sum.put(checksum);
  }
  return {};
}

caf::error ring_rows::load(const table_sum& sum,
                           const std::function<void(const ring_row&)>& show) {
  auto all = file_.prepare(statements::rings);
  if (!all)
    return std::move(all.error());
  table_sum found;
  ring_row x;
  for (;;) {
    const auto row = all->next();
    if (!row)
      return row.error();
    if (!*row)
      return compare(file_, "rings", found, sum);
    all->read(0, x.queue);
    all->read(1, x.user);
    all->read(2, x.stamp);
    all->read(3, x.credit);
    if (all->number(4) != checksum_of(x))
      return file_.damaged("the ring of queue " + x.queue + " at user " + x.user
                           + " does not match its checksum");
    found.put(all->number(4));
    show(x);
  }
}

caf::error control_rows::put(const std::vector<control_row>& rows,
                             table_sum& sum) {
  auto old = file_.prepare(statements::control_checksum);
  auto insert = file_.prepare(statements::put_control);
  if (!old || !insert)
    return std::move(!old ? old.error() : insert.error());
  for (const auto& x : rows) {
    const auto found = old->bind(x.kind, x.key).next();
    if (!found)
      return found.error();
    if (*found)
      sum.drop(old->number(0));
    const auto checksum = checksum_of(x);
    if (auto error = insert->bind(x.kind, x.key, x.value, checksum).run())
      return error;
    sum.put(checksum);
  }
  return {};
}

caf::error
control_rows::load(const table_sum& sum,
                   const std::function<void(const control_row&)>& show) {
  auto all = file_.prepare(statements::controls);
  if (!all)
    return std::move(all.error());
  table_sum found;
  control_row x;
  for (;;) {
    const auto row = all->next();
    if (!row)
      return row.error();
    if (!*row)
      return compare(file_, "controls", found, sum);
    all->read(0, x.kind);
    all->read(1, x.key);
    all->read(2, x.value);
    if (all->number(3) != checksum_of(x))
      return file_.damaged("control " + std::to_string(x.kind) + " of " + x.key
                           + " does not match its checksum");
    found.put(all->number(3));
    show(x);
  }
}

} // namespace depositd::sqlite

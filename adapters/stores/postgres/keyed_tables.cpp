#include "adapters/stores/postgres/projection_rows.hpp"
#include "adapters/stores/postgres/projection_statements.hpp"

#include <map>

namespace depositd::postgres {

namespace {

Oid type_of(char kind) {
  return kind == 'n' ? number_type : kind == 't' ? text_type : bytes_type;
}

/// Takes the checksums of rows that are about to be replaced out of the sum.
caf::error forget_old(connection& from, std::string_view sql,
                      const parameters& keys, table_sum& sum) {
  const auto old = from.run(sql, keys);
  if (!old)
    return old.error();
  for (int row = 0; row < old->rows(); ++row)
    sum.drop(old->number(row, 0));
  return {};
}

} // namespace

caf::error damaged_table(const std::string& what) {
  std::string text = "postgres: ";
  text += what;
  return caf::make_error(ec::store_damaged, std::move(text));
}

caf::error compare(const char* table, const table_sum& found,
                   const table_sum& written) {
  if (found == written)
    return {};
  return damaged_table(std::string{"table "} + table + " has "
                       + std::to_string(found.rows) + " rows that are not the "
                       + std::to_string(written.rows) + " last written");
}

caf::error insert(connection& to, std::string_view sql, const parameters& x,
                  const char* table) {
  auto done = to.run(sql, x);
  if (done)
    return {};
  constexpr std::string_view unique_violation = "23505";
  return to.state() == unique_violation
           ? damaged_table(std::string{"one of the new "} + table
                           + " is there already")
           : std::move(done.error());
}

std::vector<column> columns(std::string_view kinds) {
  std::vector<column> out;
  for (const char kind : kinds)
    out.emplace_back(type_of(kind));
  return out;
}

parameters with_columns(std::uint32_t shard, const std::vector<column>& all) {
  parameters out;
  out.add(shard);
  for (const auto& x : all)
    out.add(x);
  return out;
}

std::uint64_t keyed_tables::checksum_of(const ring_row& x) {
  return checksum_.of("rings").all(x.queue, x.user, x.stamp, x.credit).value();
}

std::uint64_t keyed_tables::checksum_of(const control_row& x) {
  return checksum_.of("controls").all(x.kind, x.key, x.value).value();
}

caf::error keyed_tables::put(connection& to, const std::vector<ring_row>& rows,
                             table_sum& sum) {
  if (rows.empty())
    return {};
  // One row per key and statement: of several the last counts.
  std::map<std::pair<std::string_view, std::string_view>, const ring_row*> last;
  for (const auto& x : rows)
    last[{x.queue, x.user}] = &x;
  auto keys = columns("tt");
  auto all = columns("ttnnn");
  for (const auto& [key, x] : last) {
    const auto checksum = checksum_of(*x);
    add_row(keys, x->queue, x->user);
    add_row(all, x->queue, x->user, x->stamp, x->credit, checksum);
    sum.put(checksum);
  }
  if (auto error = forget_old(to, statements::ring_checksums,
                              with_columns(shard_, keys), sum))
    return error;
  return insert(to, statements::put_rings, with_columns(shard_, all), "rings");
}

caf::error keyed_tables::put(connection& to,
                             const std::vector<control_row>& rows,
                             table_sum& sum) {
  if (rows.empty())
    return {};
  std::map<std::pair<std::uint8_t, std::string_view>, const control_row*> last;
  for (const auto& x : rows)
    last[{x.kind, x.key}] = &x;
  auto keys = columns("nt");
  auto all = columns("ntbn");
  for (const auto& [key, x] : last) {
    const auto checksum = checksum_of(*x);
    add_row(keys, x->kind, x->key);
    add_row(all, x->kind, x->key, x->value, checksum);
    sum.put(checksum);
  }
  if (auto error = forget_old(to, statements::control_checksums,
                              with_columns(shard_, keys), sum))
    return error;
  return insert(to, statements::put_controls, with_columns(shard_, all),
                "controls");
}

caf::error
keyed_tables::load(connection& from, const table_sum& sum,
                   const std::function<void(const ring_row&)>& show) {
  table_sum found;
  ring_row x;
  auto failed = from.stream(
    statements::rings, parameters{}.add(shard_),
    [&](const result& one) -> caf::error {
      one.read(0, 0, x.queue);
      one.read(0, 1, x.user);
      one.read(0, 2, x.stamp);
      one.read(0, 3, x.credit);
      if (one.number(0, 4) != checksum_of(x))
        return damaged_table("the ring of queue " + x.queue + " at user "
                             + x.user + " does not match its checksum");
      found.put(one.number(0, 4));
      show(x);
      return {};
    });
  return failed ? failed : compare("ring_rows", found, sum);
}

caf::error
keyed_tables::load(connection& from, const table_sum& sum,
                   const std::function<void(const control_row&)>& show) {
  table_sum found;
  control_row x;
  auto failed = from.stream(
    statements::controls, parameters{}.add(shard_),
    [&](const result& one) -> caf::error {
      one.read(0, 0, x.kind);
      one.read(0, 1, x.key);
      x.value = one.raw(0, 2);
      if (one.number(0, 3) != checksum_of(x))
        return damaged_table("control " + std::to_string(x.kind) + " of "
                             + x.key + " does not match its checksum");
      found.put(one.number(0, 3));
      show(x);
      return {};
    });
  return failed ? failed : compare("control_rows", found, sum);
}

} // namespace depositd::postgres

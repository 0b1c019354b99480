#include "adapters/stores/rows/catalogue_rows.hpp"

#include "messages/values/payload_paths.hpp"

#include <algorithm>

namespace depositd::rows {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

} // namespace

inventory_object object_of(const stored_object& x) {
  return {.identifier = x.identifier,
          .collection = x.collection,
          .owner = x.owner,
          .local_ids = {},
          .storage = lines_of(x.storage),
          .versions = {}};
}

std::string with_targets(const std::string& storage,
                         const std::vector<std::string>& more) {
  auto all = lines_of(storage);
  for (const auto& x : more)
    if (std::find(all.begin(), all.end(), x) == all.end())
      all.push_back(x);
  std::string out;
  for (const auto& x : all)
    out += (out.empty() ? "" : "\n") + x;
  return out;
}

caf::error fault_of(const inventory_entry& x) {
  const auto refused = [](std::string text) {
    return caf::make_error(ec::invalid_argument, std::move(text));
  };
  if (x.identifier.empty() || x.identifier.size() > inventory_name_bytes_max)
    return refused("an identifier has 1 to "
                   + std::to_string(inventory_name_bytes_max) + " bytes");
  if (x.version.job.empty() || x.version.number == 0)
    return refused("what is recorded of " + x.identifier
                   + " needs a job and the number of a version");
  for (const auto& target : x.storage)
    if (target.find('\n') != target.npos)
      return refused("the name of a storage target has no line break");
  return {};
}

caf::error fault_of(const premis_event& x) {
  const bool whole = !x.id.empty() && !x.type.empty() && !x.object.empty();
  if (whole && x.id.size() <= inventory_name_bytes_max
      && x.object.size() <= inventory_name_bytes_max)
    return {};
  return caf::make_error(ec::invalid_argument,
                         "an event needs an id, a type and an object, of at "
                         "most "
                           + std::to_string(inventory_name_bytes_max)
                           + " bytes");
}

bool are_same(std::vector<stored_file> a, std::vector<stored_file> b) {
  const auto by_path = [](const stored_file& x, const stored_file& y) {
    return x.path < y.path;
  };
  std::sort(a.begin(), a.end(), by_path);
  std::sort(b.begin(), b.end(), by_path);
  return a == b;
}

version_number number_for(const std::vector<known_version>& known,
                          std::uint32_t wanted,
                          const std::vector<stored_file>& files) {
  std::uint32_t last = 0;
  auto is_taken = false;
  for (const auto& x : known) {
    last = std::max(last, x.number);
    is_taken = is_taken || x.number == wanted;
  }
  if (!is_taken)
    return {.number = wanted};
  // The last as well: it may have got its number here.
  for (const auto& x : known)
    if ((x.number == wanted || x.number == last) && are_same(x.files, files))
      return {.number = x.number, .is_known = true};
  return {.number = last + 1};
}

std::string search_text(const premis_query& x) {
  std::string out = "SELECT id, type, at_us, detail, outcome, outcome_detail, "
                    "object, file, agent, owner, job, checksum "
                    "FROM premis_events WHERE object = $1 AND ";
  out += x.file.empty() ? "$2 = ''" : "file = $2";
  out += x.type.empty() ? " AND $3 = ''" : " AND type = $3";
  if (x.of_object)
    out += " AND file = ''";
  out += " AND at_us >= $4 AND ";
  out += x.after.empty() ? "$5 = ''"
                         : "(at_us, id) > (SELECT at_us, id "
                           "FROM premis_events WHERE id = $5)";
  return out + " ORDER BY at_us, id LIMIT $6";
}

std::string search_key(std::string_view text) {
  return collision_key(text);
}

std::string pattern_of(const std::string& part) {
  if (part.empty())
    return {};
  std::string out = "%";
  for (const char c : search_key(part)) {
    if (c == '%' || c == '_' || c == '!')
      out += '!';
    out += c;
  }
  return out + "%";
}

std::string search_text(const inventory_search& x, const std::string& owners,
                        const std::string& collections) {
  std::string out = "SELECT o.identifier FROM inventory_objects o WHERE ";
  const auto add = [&out](const std::string& wanted, const char* parameter,
                          const std::string& condition) {
    out +=
      (wanted.empty() ? std::string{parameter} + " = ''" : condition) + " AND ";
  };
  add(x.identifier, "$1", "o.identifier = $1");
  add(x.owner, "$2", "o.owner = $2");
  add(x.collection, "$3", "o.collection = $3");
  add(x.after, "$4", "o.identifier > $4");
  add(x.local_id, "$5",
      "o.identifier IN (SELECT l.identifier FROM inventory_local_ids l "
      "WHERE l.local_id = $5)");
  add(x.title, "$6",
      "EXISTS (SELECT 1 FROM inventory_versions v "
      "WHERE v.identifier = o.identifier AND v.title_key LIKE $6 ESCAPE '!')");
  add(x.file_name, "$7",
      "EXISTS (SELECT 1 FROM inventory_files f "
      "WHERE f.identifier = o.identifier AND f.path_key LIKE $7 ESCAPE '!')");
  return out + owners + " AND " + collections
         + " ORDER BY o.identifier LIMIT $10";
}

std::uint64_t checksum_of(const stored_object& x) {
  return row_checksum{}
    .of("inventory_objects")
    .all(x.identifier, x.collection, x.owner, x.storage)
    .value();
}

std::uint64_t checksum_of(const std::string& identifier,
                          const inventory_version& x) {
  return row_checksum{}
    .of("inventory_versions")
    .all(identifier, x.number, x.job, x.batch, x.user, x.title, x.creator,
         x.date, x.bytes, x.files, x.recorded_us)
    .value();
}

std::uint64_t checksum_of(const std::string& identifier, std::uint32_t version,
                          const stored_file& x) {
  return row_checksum{}
    .of("inventory_files")
    .all(identifier, version, x.path, x.bytes, x.sha512)
    .value();
}

std::uint64_t checksum_of(const premis_event& x) {
  return row_checksum{}
    .of("premis_events")
    .all(x.id, x.type, x.at_us, x.detail, x.outcome, x.outcome_detail, x.object,
         x.file, x.agent, x.owner, x.job)
    .value();
}

} // namespace depositd::rows

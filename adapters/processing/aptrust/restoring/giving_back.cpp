#include "adapters/processing/aptrust/restoring/giving_back.hpp"

#include "adapters/processing/merritt/promised_room.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;
using merritt::in_quotes;

constexpr std::size_t name_bytes_max = 200;

constexpr std::size_t digest_digits_shown = 16;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

/// OWNER/NAME, where NAME is one for files, and not one of a bag beside it.
bool is_ordinary(const inventory_object& x) {
  if (!x.identifier.starts_with(x.owner + "/"))
    return false;
  const auto name = std::string_view{x.identifier}.substr(x.owner.size() + 1);
  return !name.empty() && name.front() != '.' && !name.ends_with(".tar")
         && name.size() <= name_bytes_max
         && std::all_of(name.begin(), name.end(), is_plain);
}

} // namespace

scratch_folder::scratch_folder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code wrong;
  // What a crash has left.
  fs::remove_all(folder_, wrong);
  if (!wrong)
    fs::create_directories(folder_, wrong);
  if (wrong)
    failure_ =
      caf::make_error(ec::store_failed, "cannot make " + folder_.string() + ": "
                                          + wrong.message());
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  // The job's and the batch's, unless something else is there.
  fs::remove(folder_.parent_path(), ignored);
  fs::remove(folder_.parent_path().parent_path(), ignored);
}

std::optional<outcome> refuse_cold(const order_work& x) {
  if (!x.is_cold_only() || !x.order.follows.empty())
    return std::nullopt;
  return ended(verdict::failed, in_quotes(x.object.identifier)
                                  + " is in cold storage only: "
                                    "restore_glacier brings it back first");
}

std::optional<outcome> wait_for_room(const order_work& x, std::uint64_t bytes) {
  using merritt::disk_answer;
  const auto answer = merritt::ask_disk(x.tools().provision,
                                        x.tools().work_folder, 0, bytes);
  if (!answer || *answer == disk_answer::has_room)
    return std::nullopt;
  return ended(*answer == disk_answer::is_full ? verdict::not_yet
                                               : verdict::failed,
               merritt::why_no_room(*answer, bytes));
}

caf::error fetch_whole(const order_work& x, const stored_file& file,
                       const fs::path& to) {
  const auto names = x.targets();
  if (names.empty())
    return caf::make_error(ec::store_failed,
                           "none of the object's storage is set up here");
  caf::error last;
  bool may_pass = false;
  for (const auto& name : names) {
    auto& target = *x.tools().storage.at(name);
    const auto version = target.version_with(x.object.identifier, file);
    auto failure = version
                     ? target.get(x.object.identifier, *version, file.path, to)
                     : version.error();
    if (!failure)
      return {};
    may_pass =
      may_pass || (failure != ec::store_damaged && failure != ec::not_found);
    last = caf::make_error(ec::store_damaged,
                           "storage " + name + ": " + render(failure));
  }
  return may_pass ? caf::make_error(ec::store_failed, render(last)) : last;
}

std::string name_of_object(const inventory_object& object) {
  const auto& identifier = object.identifier;
  if (is_ordinary(object))
    return identifier.substr(object.owner.size() + 1);
  const auto slash = identifier.find_last_of('/');
  auto out = identifier.substr(slash == identifier.npos ? 0 : slash + 1);
  for (auto& c : out)
    c = is_plain(c) ? c : '_';
  out.resize(std::min(out.size(), name_bytes_max));
  if (out.empty() || out.front() == '.')
    out.insert(0, "object");
  return out + "~" + sha256_hex(identifier).substr(0, digest_digits_shown);
}

outcome give_back(order_work& x, const std::string& name,
                  const fs::path& file) {
  auto& target = x.tools().restoration;
  if (!target)
    return ended(verdict::failed,
                 "no restoration target is set (restoration.default)");
  const auto place = target->put(x.job.job.user, name, file);
  if (!place)
    return ended(place.error() == ec::store_failed ? verdict::retry
                                                   : verdict::failed,
                 render(place.error()));
  crash_point("given_back");
  premis_facts facts;
  facts.type = premis_types::dissemination;
  facts.detail = "restored for " + x.order.asked_by;
  facts.outcome_detail = *place;
  facts.file = x.order.file;
  const auto failure =
    x.tools().inventory->record_events({make_event(x.scene(), facts)});
  if (failure)
    return ended(verdict::retry, render(failure));
  crash_point("giving_told");
  x.job.job.more["restored_to"] = *place;
  return ended(verdict::done, "restored to " + *place);
}

} // namespace depositd::aptrust

#include "adapters/bagit/walking.hpp"

#include "adapters/bagit/paths.hpp"
#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <limits>

namespace depositd::bagit {

namespace {

namespace fs = std::filesystem;

ec code_of(finding_code x) {
  switch (x) {
    case finding_code::too_large:
      return ec::too_large;
    case finding_code::changed:
      return ec::store_damaged;
    default:
      return ec::malformed;
  }
}

std::uint64_t allowed(const bag_limits& limits, std::uint64_t own_bytes) {
  if (own_bytes == 0)
    return limits.bytes_max;
  // An archive of 2^50 bytes is none that there is.
  const auto own = std::min(own_bytes, std::uint64_t{1} << 50);
  const auto ratio =
    std::min(limits.ratio_max, std::numeric_limits<std::uint64_t>::max() / own);
  return std::min(limits.bytes_max,
                  std::max(limits.ratio_free_bytes, own * ratio));
}

} // namespace

walk_stop stop_for(finding_code code, const std::string& file,
                   std::string text) {
  // A name that is not UTF-8 has to be read by people and by JSON.
  finding found{code, shown_path(file), std::move(text)};
  auto error = caf::make_error(code_of(code), render(found));
  return {std::move(error), std::move(found)};
}

walk_stop disk_failed(const char* verb, const fs::path& path, int reason) {
  return {file_failed(verb, path, reason), std::nullopt};
}

std::optional<walk_stop> check_name(const std::string& path) {
  if (auto fault = bag_path_fault(path); !fault.empty())
    return stop_for(finding_code::illegal_name, path, fault);
  return std::nullopt;
}

void count_file(const bag_file& x, bag_totals& totals) {
  if (x.kind != file_kind::payload) {
    ++totals.tag_files;
    return;
  }
  ++totals.payload_files;
  totals.payload_bytes += x.bytes;
}

walk_costs::walk_costs(const bag_limits& limits, std::uint64_t own_bytes)
  : limits_(limits), bytes_allowed_(allowed(limits, own_bytes)) {
  // nop
}

std::optional<walk_stop> walk_costs::add_entry() {
  if (++entries_ <= limits_.entries_max)
    return std::nullopt;
  return stop_for(finding_code::too_large, {},
                  "there are more than " + std::to_string(limits_.entries_max)
                    + " files and folders");
}

std::optional<walk_stop> walk_costs::check_file(const std::string& path,
                                                std::uint64_t bytes) const {
  const auto more_than = [&](std::uint64_t max, const char* what) {
    return stop_for(finding_code::too_large, path,
                    "with it there are more than " + std::to_string(max)
                      + what);
  };
  if (bytes > limits_.file_bytes_max)
    return more_than(limits_.file_bytes_max, " bytes in one file");
  if (bytes <= bytes_allowed_ - bytes_)
    return std::nullopt;
  return bytes_allowed_ == limits_.bytes_max
           ? more_than(limits_.bytes_max, " bytes")
           : more_than(limits_.ratio_max,
                       " times as many bytes as the archive has");
}

std::optional<walk_stop> walk(const walk_request& x, walk_client& client,
                              bag_totals& totals) {
  std::error_code code;
  const auto status = fs::status(x.from.path, code);
  if (status.type() == fs::file_type::not_found)
    return walk_stop{
      caf::make_error(ec::not_found, "there is no " + x.from.path.string()),
      std::nullopt};
  if (code)
    return disk_failed("read", x.from.path, code.value());
  if (fs::is_directory(status))
    return walk_folder(x, client, totals);
  if (!fs::is_regular_file(status))
    return stop_for(finding_code::unreadable, x.from.shown_name(),
                    "is neither a file nor a folder");
  return walk_archive(x, client, totals);
}

} // namespace depositd::bagit

#include "adapters/stores/segments/manifest.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/segments/layout.hpp"

namespace depositd::segments {

namespace {

constexpr std::string_view title = "depositd journal\n";
constexpr std::string_view checksum_key = "crc32c ";

caf::error damaged(std::string why) {
  return caf::make_error(ec::store_damaged, std::move(why));
}

std::string checksum_line(std::string_view text) {
  char line[32];
  std::snprintf(line, sizeof(line), "crc32c %08x\n", crc32c(text));
  return line;
}

/// The text without its last line, if that line is its checksum.
bool strip_checksum(std::string_view& text) {
  const auto at = text.rfind(checksum_key);
  if (at == std::string_view::npos
      || text.substr(at) != checksum_line(text.substr(0, at)))
    return false;
  text = text.substr(0, at);
  return true;
}

bool read_line(const std::string& line, manifest& into) {
  std::istringstream in{line};
  std::string key;
  in >> key;
  if (key == "shard")
    in >> into.shard;
  else if (key == "epoch")
    in >> into.epoch;
  else if (key == "oldest")
    in >> into.oldest;
  else if (key == "first")
    in >> into.first;
  else if (key == "newest")
    in >> into.newest;
  else if (key == "gap") {
    auto& x = into.gaps.emplace_back();
    in >> x.number >> x.first >> x.last;
  } else
    return false;
  return !in.fail();
}

} // namespace

void manifest::drop(const gap& segment) {
  const auto at = std::lower_bound(
    gaps.begin(), gaps.end(), segment,
    [](const gap& a, const gap& b) { return a.number < b.number; });
  gaps.insert(at, segment);
  while (!gaps.empty() && gaps.front().number == oldest) {
    ++oldest;
    first = gaps.front().last + 1;
    gaps.erase(gaps.begin());
  }
}

std::string encode(const manifest& x) {
  std::ostringstream out;
  out << title << "format " << format_now << "\nshard " << x.shard << "\nepoch "
      << x.epoch << "\noldest " << x.oldest << "\nfirst " << x.first
      << "\nnewest " << x.newest << '\n';
  for (const auto& gap : x.gaps)
    out << "gap " << gap.number << ' ' << gap.first << ' ' << gap.last << '\n';
  auto text = out.str();
  return text + checksum_line(text);
}

caf::expected<manifest> decode_manifest(std::string_view text) {
  if (!strip_checksum(text) || !text.starts_with(title))
    return damaged("it does not match its checksum");
  std::istringstream in{std::string{text.substr(title.size())}};
  std::string line;
  std::getline(in, line);
  if (line != "format " + std::to_string(format_now))
    return caf::make_error(ec::store_failed,
                           "it has " + line
                             + " of a later version; this one reads format "
                             + std::to_string(format_now));
  manifest out;
  while (std::getline(in, line))
    if (!read_line(line, out))
      return damaged("its line \"" + line + "\" makes no sense");
  return out;
}

manifest_file::manifest_file(disk& io, std::filesystem::path path, manifest now)
  : io_(io), path_(std::move(path)), now_(std::move(now)) {
  // nop
}

manifest manifest_file::now() {
  const std::lock_guard guard{mutex_};
  return now_;
}

caf::error manifest_file::change(const std::function<void(manifest&)>& edit) {
  const std::lock_guard guard{mutex_};
  auto next = now_;
  edit(next);
  if (auto failed = replace_file(io_, path_, encode(next)))
    return failed;
  now_ = std::move(next);
  return {};
}

} // namespace depositd::segments

#include "adapters/stores/files/audit_folder.hpp"

#include "messages/values/grace.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd {

namespace fs = std::filesystem;
using namespace std::chrono;

std::string audit_file_name(year_month month) {
  char out[32];
  std::snprintf(out, sizeof(out), "audit-%04d-%02u.log",
                static_cast<int>(month.year()),
                static_cast<unsigned>(month.month()));
  return out;
}

namespace {

/// Names that only look like ours are nobody's.
std::optional<year_month> month_of(std::string_view file_name) {
  int read_year = 0;
  unsigned read_month = 0;
  const std::string name{file_name};
  if (std::sscanf(name.c_str(), "audit-%4d-%2u.log", &read_year, &read_month)
      != 2)
    return std::nullopt;
  const year_month out{year{read_year}, month{read_month}};
  return out.ok() && audit_file_name(out) == name ? std::optional{out}
                                                  : std::nullopt;
}

/// Whether a power cut or a full disk has left a line without its end.
caf::expected<bool> is_torn(const unique_fd& file, const fs::path& path) {
  struct stat facts {};
  if (::fstat(file.value(), &facts) != 0)
    return file_failed("look at", path, errno);
  if (facts.st_size == 0)
    return false;
  char last = 0;
  const auto count = read_file_at(
    file, path, {&last, 1}, static_cast<std::uint64_t>(facts.st_size) - 1);
  if (!count)
    return count.error();
  return last != '\n';
}

/// 0, or an errno when it is not there whole.
int write_all(const unique_fd& file, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(file.value(), text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

} // namespace

bool is_audit_file(std::string_view name) {
  return month_of(name).has_value();
}

bool is_past_audit(std::string_view file_name, sys_days today,
                   std::uint32_t retention_days) {
  const auto of = month_of(file_name);
  return of && sys_days{(*of + months{1}) / 1} + days{retention_days} < today;
}

audit_folder::audit_folder(fs::path folder, std::uint32_t retention_days)
  : folder_(std::move(folder)), retention_days_(retention_days) {
  // nop
}

void audit_folder::remove_past(sys_days today) const {
  std::error_code code;
  std::vector<fs::path> past;
  for (fs::directory_iterator at{folder_, code}, end; !code && at != end;
       at.increment(code))
    if (is_past_audit(at->path().filename().string(), today, retention_days_))
      past.push_back(at->path());
  // What cannot be removed now is tried again next month.
  for (const auto& path : past)
    fs::remove(path, code);
}

caf::error audit_folder::open(sys_days today) {
  const year_month_day date{today};
  const auto now = date.year() / date.month();
  if (file_ && now == month_)
    return {};
  if (auto failed = make_folders(system_disk(), folder_))
    return failed;
  const auto path = folder_ / audit_file_name(now);
  auto file = open_file(path, O_RDWR | O_CREAT | O_APPEND);
  if (!file)
    return std::move(file.error());
  const auto torn = is_torn(*file, path);
  if (!torn)
    return torn.error();
  if (auto failed = sync_folder(system_disk(), folder_))
    return failed;
  file_ = std::move(*file);
  is_torn_ = *torn;
  month_ = now;
  removes_ = true;
  return {};
}

caf::error audit_folder::append(std::string_view line,
                                system_clock::time_point now,
                                system_clock::time_point counted) {
  if (!begun_)
    begun_ = counted;
  if (auto failed = open(floor<days>(now)))
    return failed;
  if (removes_ && counted >= *begun_ + grace_after_start) {
    remove_past(floor<days>(std::min(now, counted)));
    removes_ = false;
  }
  const auto path = folder_ / audit_file_name(month_);
  if (is_torn_)
    if (const auto code = write_all(file_, "\n"))
      return file_failed("write", path, code);
  is_torn_ = true;
  if (const auto code = write_all(file_, line))
    return file_failed("write", path, code);
  is_torn_ = false;
  if (const auto code = system_disk().sync(file_.value()))
    return file_failed("sync", path, code);
  return {};
}

} // namespace depositd

#include "config/audit_log.hpp"

#include "adapters/stores/files/audit_folder.hpp"
#include "config/log_sink.hpp"
#include "messages/values/clock.hpp"

#include <spdlog/async.h>
#include <spdlog/details/registry.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace depositd {

namespace {

constexpr std::size_t lines_waiting_max = 8'192;

/// Only of the logger's thread, but spdlog's sinks have a lock anyway.
class audit_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit audit_sink(audit_folder to) : to_(std::move(to)) {
    // nop
  }

private:
  void sink_it_(const spdlog::details::log_msg& x) override {
    spdlog::memory_buf_t line;
    formatter_->format(x, line);
    if (auto failed = to_.append({line.data(), line.size()}, x.time, counted()))
      spdlog::error("audit_not_written reason=\"{}\"", render(failed));
  }

  void flush_() override {
    // Each line is.
  }

  std::chrono::system_clock::time_point counted() const {
    return std::chrono::system_clock::time_point{
      std::chrono::microseconds{since_start_.now()}};
  }

  audit_folder to_;
  const engine_clock since_start_ = engine_clock::system();
};

/// Standard error has a line when the call returns if it takes any, the files
/// soon after.
class folder_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit folder_sink(std::shared_ptr<spdlog::logger> to)
    : to_(std::move(to)) {
    // nop
  }

private:
  void sink_it_(const spdlog::details::log_msg& x) override {
    to_->log(x.time, x.source, x.level, x.payload);
  }

  void flush_() override {
    // Each line is.
  }

  std::shared_ptr<spdlog::logger> to_;
};

} // namespace

std::filesystem::path audit_folder_of(const depositd_settings& settings) {
  const auto& wanted = settings.audit.file;
  if (wanted == "none")
    return {};
  if (!wanted.empty())
    return wanted;
  return settings.store.kind == store_kind::embedded
           ? settings.data.folder / "audit"
           : std::filesystem::path{};
}

caf::error prepare_audit_folder(const depositd_settings& settings) {
  const auto& wanted = settings.audit.file;
  if (wanted.empty() || wanted == "none")
    return caf::none;
  if (auto failed = make_folders(system_disk(), wanted))
    return caf::make_error(ec::bad_setting, "audit.file: " + render(failed));
  if (::access(wanted.c_str(), W_OK | X_OK) != 0)
    return caf::make_error(ec::bad_setting,
                           "audit.file: cannot write to " + wanted + ": "
                             + std::strerror(errno));
  return caf::none;
}

std::shared_ptr<spdlog::logger> audit_log(const depositd_settings& settings) {
  if (auto known = spdlog::get("audit"))
    return known;
  const auto folder = audit_folder_of(settings);
  const auto output = std::make_shared<log_sink>(STDERR_FILENO);
  if (folder.empty()) {
    auto out = std::make_shared<spdlog::logger>("audit", output);
    spdlog::initialize_logger(out);
    return out;
  }
  spdlog::init_thread_pool(lines_waiting_max, 1);
  const auto files = std::make_shared<spdlog::async_logger>(
    "audit_files",
    std::make_shared<audit_sink>(
      audit_folder{folder, settings.audit.retention_days}),
    spdlog::thread_pool(), spdlog::async_overflow_policy::block);
  spdlog::initialize_logger(files);
  const std::vector<spdlog::sink_ptr> sinks{
    output, std::make_shared<folder_sink>(files)};
  auto out =
    std::make_shared<spdlog::logger>("audit", sinks.begin(), sinks.end());
  spdlog::initialize_logger(out);
  return out;
}

void finish_audit_log() {
  // Its end waits for what it has; loggers that remain find it gone.
  spdlog::details::registry::instance().set_tp(nullptr);
}

} // namespace depositd

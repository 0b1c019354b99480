#pragma once

// Minters that are there and give nobody an identifier.

#include "adapters/processing/stages/stage_tools.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <spdlog/spdlog.h>

namespace depositd::stages {

/// What became of the last questions to a minter. May be used from several
/// threads.
class minting_record {
public:
  using clock = std::function<std::chrono::steady_clock::time_point()>;

  /// After so long it may be the jobs that it stumbles over.
  static constexpr std::chrono::hours patience{1};

  explicit minting_record(clock now = std::chrono::steady_clock::now)
    : now_(std::move(now)) {
    // nop
  }

  /// None: it gave an identifier, or judged what it was asked for. The log is
  /// told once that it does neither, and once that it does again.
  void ended(const caf::error& failure) {
    const std::lock_guard guard{mutex_};
    if (failure) {
      if (in_a_row_ == 0)
        since_ = now_();
      ++failures_;
      ++in_a_row_;
      last_ = failure;
    }
    if (in_a_row_ >= enough && !std::exchange(told_, true))
      spdlog::error("no_identifiers reason=\"{}\"", render(last_));
    if (failure)
      return;
    in_a_row_ = 0;
    if (std::exchange(told_, false))
      spdlog::info("identifiers_again");
  }

  /// How often it has failed.
  std::uint64_t failures() const {
    const std::lock_guard guard{mutex_};
    return failures_;
  }

  /// Why it failed last, if that was since it had failed so often, and is no
  /// fault of who asked: it has failed before that as well, gave nobody
  /// anything in between, and has not done so for too long.
  caf::error refused_since(std::uint64_t count) const {
    const std::lock_guard guard{mutex_};
    const bool of_all = in_a_row_ >= enough && now_() < since_ + patience;
    return failures_ > count && of_all ? last_ : caf::error{};
  }

private:
  /// One may be that of a request which it stumbles over.
  static constexpr std::uint64_t enough = 2;

  const clock now_;
  mutable std::mutex mutex_; ///< guards what follows
  std::uint64_t failures_ = 0;
  std::uint64_t in_a_row_ = 0;
  bool told_ = false; ///< the log was
  caf::error last_;
  std::chrono::steady_clock::time_point since_; ///< the first of them
};

/// Asks another one, and writes down whether it could be asked.
class recorded_minter final : public minter {
public:
  recorded_minter(std::shared_ptr<minter> asked,
                  std::shared_ptr<minting_record> record)
    : asked_(std::move(asked)), record_(std::move(record)) {
    // nop
  }

  caf::expected<std::string> mint(const mint_request& x) override {
    auto out = asked_->mint(x);
    record_->ended(!out && out.error() == ec::overloaded ? out.error()
                                                         : caf::error{});
    return out;
  }

  caf::error backup(const std::filesystem::path& folder) override {
    return asked_->backup(folder);
  }

private:
  const std::shared_ptr<minter> asked_;
  const std::shared_ptr<minting_record> record_;
};

/// Does the work, but lets an item wait that fails for now while the minter
/// gives nobody anything: that costs no attempt, and its document stays as it
/// was. Null: nobody has a record.
inline stage_handler while_minting(std::shared_ptr<minting_record> record,
                                   stage_handler work) {
  if (!record)
    return work;
  return [record = std::move(record),
          work = std::move(work)](const stage_task& task) -> outcome {
    const auto before = record->failures();
    auto out = work(task);
    if (out.says != verdict::retry)
      return out;
    if (const auto refused = record->refused_since(before))
      return stages::ended(verdict::not_yet, render(refused));
    return out;
  };
}

} // namespace depositd::stages

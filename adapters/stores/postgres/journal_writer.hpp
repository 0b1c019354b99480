#pragma once

// The side of the journal that appends. It decides what became of a commit
// whose answer never came.

#include "adapters/stores/postgres/journal_reader.hpp"
#include "adapters/stores/postgres/postgres_journal_store.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

namespace depositd::postgres {

/// One thread calls `append`; `keep` and `watermarks` may be called by any.
class journal_writer {
public:
  journal_writer(const postgres_journal_options& options,
                 std::shared_ptr<journal_view> log);

  /// Takes the shard and learns what its log holds.
  caf::error open();

  epoch_number epoch() const noexcept {
    return epoch_;
  }

  caf::expected<std::uint64_t>
  append(std::string_view bytes, std::uint32_t events,
         const std::vector<watermark>& watermarks);

  /// Whether it is the session that holds the shard.
  bool holds_by_session() const noexcept {
    return options_.owner_wait_ms > 0 && options_.epoch == 0;
  }

  /// Says something in the session, begins another one if it is lost, and asks
  /// for the lock while that is not held. An append that is under way does as
  /// well; what fails is left to the next one.
  void keep();

  std::vector<watermark> watermarks();

private:
  /// A group on its way, with all that is written of it.
  struct draft {
    stored_group group;
    std::string encoded; ///< watermarks, for the group
    std::uint64_t checksum = 0;
    std::uint64_t segment = 0;
    bool begins_segment = false;
    bool was_there = false; ///< in doubt, and then found in the log
  };

  using clock = std::chrono::steady_clock;

  /// Under an epoch that is ours already.
  caf::error begin_session();

  /// Under the next epoch.
  caf::error take_shard();
  caf::error load();

  draft draft_of(std::string_view bytes, std::uint32_t events,
                 const std::vector<watermark>& watermarks) const;

  /// Writes the group in one transaction. If the connection is lost meanwhile
  /// nobody knows what became of it.
  caf::error write(const draft& x);
  caf::error begin_segment(const draft& x);

  /// Inside a transaction: until its end nobody takes the shard.
  caf::error hold_session();
  caf::error insert(const draft& x);
  caf::error fenced();

  /// Whether the server still has all that it has confirmed. One that took over
  /// from another may be behind it.
  caf::error check_confirmed();
  caf::error fallen_behind(const std::string& what) const;

  caf::expected<std::uint64_t>
  append_in_session(std::string_view bytes, std::uint32_t events,
                    const std::vector<watermark>& watermarks);

  /// Asks for the shard's lock without waiting.
  caf::error ask_for_lock();

  /// Connects again if need be and fences what the last session may still do.
  caf::error renew_session(clock::time_point until);

  /// After `renew_session`: whether the group is in the log.
  caf::expected<bool> arrived(const draft& x);

  /// Takes out a group whose append was said to have failed.
  caf::error retract(const draft& x);

  /// Deals with the append that was left in doubt.
  caf::error settle(clock::time_point until);

  void accept(const draft& x);
  void leave_in_doubt(draft x);

  postgres_journal_options options_;
  connection_options server_;
  std::shared_ptr<journal_view> log_;
  std::mutex session_mutex_; ///< guards what appends use, `to_` and below
  std::unique_ptr<connection> to_;
  bool locked_ = false; ///< the session holds the shard's lock
  bool renewed_ = true; ///< the last beginning of a session came to its end
  epoch_number epoch_ = 0;
  std::uint64_t session_ = 0;
  /// Of this group nobody knows whether it will turn up; its bytes are gone.
  std::unique_ptr<draft> doubt_;
  std::mutex mutex_; ///< guards the watermarks
  std::map<std::string, std::int64_t> watermarks_;
};

} // namespace depositd::postgres

#pragma once

// The journal over segment files; see segments.hpp.

#include "adapters/stores/segments/recovery.hpp"
#include "adapters/stores/segments/segments.hpp"

#include <atomic>
#include <string>

namespace depositd::segments {

class segment_journal final : public journal_store {
public:
  /// `lock` keeps other engines out; `found` already has this epoch.
  segment_journal(disk& io, pool_options options, unique_fd lock,
                  recovered found);

  epoch_number epoch() const override;
  sequence last() const override;
  bool nearly_full() const override;
  caf::expected<std::uint64_t>
  append(std::string_view bytes, std::uint32_t events,
         const std::vector<watermark>& watermarks) override;
  caf::error
  read(sequence from,
       const std::function<bool(const stored_group&)>& show) override;
  caf::expected<std::string> read_body(const body_location& place) override;
  std::vector<watermark> watermarks() override;
  std::vector<segment> segments() override;
  caf::error drop(std::uint64_t number) override;
  std::uint64_t disk_bytes() override;
  caf::error backup(const std::filesystem::path& folder) override;

private:
  /// A part of the log as of some moment.
  struct part {
    segment_ptr file;
    sequence first = 0;
    sequence last = 0;
    std::uint64_t begin = page_bytes;
    std::uint64_t end = page_bytes;
  };

  /// Of the segments that are written to no more, and not dropped yet.
  std::uint64_t closed_bytes() const;
  std::vector<part> parts_from(sequence from);
  caf::error show_part(const part& what, sequence from, bool& go_on,
                       const std::function<bool(const stored_group&)>& show);

  /// Moves to a segment with room for a group of this size.
  caf::error make_room(std::uint64_t bytes);
  void build_front(const std::vector<watermark>& watermarks,
                   std::string_view bytes, std::uint32_t events);
  caf::error write_group(std::string_view bytes);
  void commit(const std::vector<watermark>& watermarks);
  caf::error refuse(caf::error why);
  caf::error take_back();

  disk& io_;
  const pool_options options_;
  const unique_fd lock_;
  const epoch_number epoch_;
  manifest_file names_;

  // -- the appending thread's own

  segment_state current_; ///< what is written to
  group_header header_;   ///< of the group on its way
  std::string front_;     ///< of the same
  bool asked_ahead_ = false;
  bool refused_ = false; ///< what is behind the log may be taken for a group

  // -- everyone's

  std::atomic<sequence> last_;
  mutable std::mutex mutex_; ///< guards what follows; never held over I/O
  std::map<std::uint64_t, segment_state> log_; ///< at least a group in each
  watermark_map watermarks_;
  std::mutex drop_mutex_; ///< one drop at a time
  segment_pool pool_;     ///< last: its thread ends first
};

} // namespace depositd::segments

#include "config/data_check.hpp"

#include "adapters/minters/local_minter.hpp"
#include "adapters/stores/files/file.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "adapters/stores/files/shard_folders.hpp"
#include "adapters/stores/segments/inspection.hpp"
#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"
#include "adapters/stores/sqlite/sqlite_inventory.hpp"
#include "adapters/stores/sqlite/sqlite_projection_store.hpp"
#include "config/lost_tables.hpp"
#include "config/scratch_folder.hpp"
#include "messages/values/codec.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

namespace depositd {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t submissions_page = 1'000;
constexpr auto read_all = std::numeric_limits<std::uint64_t>::max();

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// One look at one folder.
class data_check {
public:
  data_check(const data_check_options& options, const fs::path& scratch)
    : options_(options), scratch_(scratch) {
    // nop
  }

  caf::expected<data_judged> run() {
    const auto shards = shards_in_folder(options_.folder);
    if (!shards)
      return shards.error();
    for (shard_number shard = 0; shard < *shards; ++shard)
      if (auto wrong = check_shard(shard, *shards))
        return wrong;
    check_registry();
    check_inventory();
    check_table("minter/minter.db", [](const fs::path& file) {
      auto opened = open_local_minter({.folder = file.parent_path()});
      return opened ? caf::error{} : std::move(opened.error());
    });
    check_blobs();
    return std::move(out_);
  }

private:
  caf::error check_shard(shard_number shard, shard_number shards) {
    if (shards > 1)
      where_ = "shards/" + std::to_string(shard) + "/";
    journal_.reset();
    whole_from_ = 0;
    journal_next_ = 0;
    if (auto wrong = check_journal(shard))
      return wrong;
    check_projection();
    if (journal_) {
      has_events_ = has_events_ || journal_->last > 0;
      locks_.push_back(journal_->lock);
    }
    return {};
  }

  void fact(std::string text) {
    out_.facts.push_back(std::move(text));
  }

  void fault(std::string text) {
    if (out_.faults.size() < options_.faults_max)
      out_.faults.push_back(std::move(text));
    else
      ++out_.faults_left_out;
  }

  // -- journal

  caf::error no_data_folder() const {
    return caf::make_error(ec::not_found, options_.folder.string()
                                            + " is no data folder: there is "
                                              "no journal in it");
  }

  /// Error: it cannot be judged at all.
  caf::error check_journal(shard_number shard) {
    const auto folder = options_.folder / (where_ + "journal");
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
      return no_data_folder();
    auto seen = look_at_segments(folder, shard, [&](const stored_group& x) {
      if (x.first != journal_next_)
        whole_from_ = x.first;
      journal_next_ = x.last + 1;
      read_group(x);
      return caf::error{};
    });
    if (!seen && seen.error() == ec::store_damaged) {
      fault(render(seen.error()));
      return {};
    }
    if (!seen && seen.error() == ec::not_found)
      return no_data_folder();
    if (!seen)
      return std::move(seen.error());
    journal_ = std::move(*seen);
    whole_from_ = std::max(whole_from_, journal_->first);
    fact(where_ + "journal: events " + std::to_string(journal_->first) + " to "
         + std::to_string(journal_->last) + " in "
         + std::to_string(journal_->ends.size()) + " segments");
    return {};
  }

  void read_group(const stored_group& x) {
    record_reader in{x.bytes, x.group, bodies::skipped};
    while (!in.at_end()) {
      if (auto wrong = in.next(record_)) {
        fault(where_ + "journal: events from " + std::to_string(x.first) + ": "
              + render(wrong));
        return;
      }
      for (const auto& one : record_.events)
        if (const auto* received = std::get_if<submission_received>(&one))
          need_blob(received->submission.blob);
    }
  }

  // -- tables

  /// A copy of a table and its log, which opening brings home.
  caf::expected<fs::path> copied(const std::string& name) {
    const auto to = scratch_ / name;
    std::error_code code;
    fs::create_directories(to.parent_path(), code);
    for (const auto* suffix : {"", "-wal"}) {
      const auto from = options_.folder / (name + suffix);
      if (!code && is_there(from))
        fs::copy_file(from, scratch_ / (name + suffix), code);
    }
    if (code)
      return file_failed("copy", options_.folder / name, code.value());
    return to;
  }

  /// Says of whom an error is: copies have names that nobody knows.
  void fault_in(const std::string& name, const caf::error& why) {
    auto text = render(why);
    const auto copy = (scratch_ / name).string();
    for (auto at = text.find(copy); at != std::string::npos;
         at = text.find(copy))
      text.replace(at, copy.size(), name);
    fault(text.find(name) == std::string::npos ? name + ": " + text : text);
  }

  /// A table that not every store has.
  template <class Open>
  void check_table(const std::string& name, Open open) {
    if (!is_there(options_.folder / name)) {
      if (is_there(options_.folder / (name + "-wal")))
        fault(name + ": it is gone, but its log is there");
      return;
    }
    const auto copy = copied(name);
    if (!copy)
      return fault_in(name, copy.error());
    if (const auto wrong = open(*copy))
      return fault_in(name, wrong);
    fact(name + ": whole");
  }

  void check_registry() {
    if (!is_there(options_.folder / "registry.db") && has_events_)
      return fault("registry.db: it is missing: no engine starts without");
    check_table("registry.db", [](const fs::path& file) {
      auto opened = open_sqlite_registry(file, {.checked_bytes_max = read_all});
      return opened ? caf::error{} : std::move(opened.error());
    });
  }

  /// Engines before the first object had none. Looked at is the place that
  /// storage has by itself.
  void check_inventory() {
    if (!is_there(options_.folder / "inventory.db")
        && has_objects(options_.folder / "objects"))
      return fault("inventory.db: it is missing: no engine starts without");
    check_table("inventory.db", [](const fs::path& file) {
      auto opened = open_sqlite_inventory(file);
      return opened ? caf::error{} : std::move(opened.error());
    });
  }

  std::string tables() const {
    return where_ + "projection.db";
  }

  void check_projection() {
    const auto name = tables();
    if (!is_there(options_.folder / name)) {
      if (journal_ && whole_from_ > 1)
        fault(name + ": it is missing, and " + journal_begins());
      return;
    }
    const auto copy = copied(name);
    if (!copy)
      return fault_in(name, copy.error());
    auto opened =
      open_sqlite_projection(*copy, {.checked_bytes_max = read_all});
    if (!opened)
      return fault_in(name, opened.error());
    compare_reached((*opened)->reached());
    if (const auto wrong = read_tables(**opened))
      fault_in(name, wrong);
  }

  void compare_reached(sequence reached) {
    fact(tables() + ": reached event " + std::to_string(reached));
    if (!journal_)
      return;
    if (reached > journal_->last)
      fault(tables() + ": it has reached event " + std::to_string(reached)
            + ", but the journal ends at " + std::to_string(journal_->last));
    if (reached + 1 < whole_from_)
      fault(tables() + ": it has reached event " + std::to_string(reached)
            + ", but " + journal_begins());
  }

  /// What the tables have reached, an engine drops, also between segments that
  /// it keeps.
  std::string journal_begins() const {
    return (whole_from_ > journal_->first ? "the journal lacks events before "
                                          : "the journal begins at event ")
           + std::to_string(whole_from_);
  }

  /// Reading a row holds it against its checksum.
  caf::error read_tables(projection_store& from) {
    const auto ignore = [](const auto&) {};
    if (auto wrong = from.load_items([&](const item_row& x) { check_body(x); }))
      return wrong;
    if (auto wrong = from.load_rings(ignore))
      return wrong;
    auto unread = from.load_controls([&](const control_row& x) {
      if (auto change = decode_event(x.value); !change)
        fault(tables() + ": setting " + x.key + ": "
              + render(change.error()));
    });
    if (unread)
      return unread;
    if (auto wrong = from.load_records(ignore))
      return wrong;
    if (auto wrong = from.load_record_totals(ignore))
      return wrong;
    if (auto wrong = from.load_batches(ignore))
      return wrong;
    if (auto wrong = from.load_jobs(ignore))
      return wrong;
    return read_submissions(from);
  }

  void check_body(const item_row& x) {
    if (!journal_ || x.place.length == 0)
      return;
    const auto number = x.place.group >> 32;
    const auto at = journal_->ends.find(number);
    const auto end =
      (x.place.group & 0xffffffff) + x.place.offset + x.place.length;
    if (at == journal_->ends.end() || end > at->second)
      fault("item " + std::to_string(x.id) + " of " + x.user
            + ": its body is not in the journal (segment "
            + std::to_string(number) + ")");
  }

  caf::error read_submissions(projection_store& from) {
    submission_query query;
    query.newest_first = false;
    query.count_max = submissions_page;
    query.with_documents = false;
    std::uint64_t count = 0;
    for (;;) {
      auto page = from.submissions(query);
      if (!page)
        return std::move(page.error());
      if (page->empty())
        break;
      for (const auto& x : *page)
        need_blob(x.submission.blob);
      count += page->size();
      query.after = {page->back().id};
    }
    fact(tables() + ": " + std::to_string(count) + " submissions");
    return {};
  }

  // -- blobs

  void need_blob(const std::string& name) {
    if (!name.empty() && !options_.blobs_elsewhere)
      needed_.insert(name);
  }

  fs::path blobs() const {
    return options_.folder / "blobs";
  }

  void check_blobs() {
    if (options_.blobs_elsewhere)
      return fact("blobs: elsewhere, not looked at");
    for (const auto& name : needed_)
      if (!is_sha256_hex(name)
          || !is_there(blobs() / name.substr(0, 2) / name.substr(2, 2) / name))
        fault("blobs: " + name + " is missing, but a deposit refers to it");
    std::error_code code;
    std::uint64_t count = 0;
    if (is_there(blobs()))
      for (fs::recursive_directory_iterator at{blobs(), code}, end;
           !code && at != end; at.increment(code))
        if (const auto name = at->path().filename().string();
            is_sha256_hex(name)) {
          ++count;
          check_blob(at->path(), name);
        }
    if (code)
      fault("blobs: " + code.message());
    fact("blobs: " + std::to_string(count) + ", "
         + std::to_string(needed_.size()) + " of them referred to");
  }

  void check_blob(const fs::path& path, const std::string& name) {
    const auto bytes = read_file(path);
    if (!bytes)
      fault(render(bytes.error()));
    else if (sha256_hex(*bytes) != name)
      fault("blobs: " + name + " does not match its name");
  }

  const data_check_options& options_;
  const fs::path scratch_;
  data_judged out_;
  std::string where_; ///< the shard's folder, "/" at its end; empty: the only
  std::optional<segments_seen> journal_; ///< its; nothing: it is damaged
  sequence whole_from_ = 0;   ///< of its journal, to its end without a gap
  sequence journal_next_ = 0; ///< behind the group that was seen last
  bool has_events_ = false;   ///< any shard
  std::vector<std::shared_ptr<void>> locks_;
  std::unordered_set<std::string> needed_;
  record record_; ///< reuses its memory
};

} // namespace

caf::expected<data_judged> check_data(const data_check_options& options) {
  std::error_code failed;
  if (!fs::is_directory(options.folder, failed))
    return caf::make_error(ec::not_found,
                           options.folder.string() + " is no folder");
  const scratch_folder scratch{options.scratch};
  if (scratch.path().empty())
    return caf::make_error(ec::store_failed,
                           "cannot make a folder in " + options.scratch.string()
                             + " (TMPDIR names another place)");
  return data_check{options, scratch.path()}.run();
}

int tell_check(const data_check_options& options, std::ostream& out,
               std::ostream& problems) {
  const auto found = check_data(options);
  if (!found) {
    problems << "depositd: " << render(found.error()) << '\n';
    return 2;
  }
  for (const auto& x : found->facts)
    out << x << '\n';
  for (const auto& x : found->faults)
    out << "fault: " << x << '\n';
  if (found->faults_left_out > 0)
    out << "fault: and " << found->faults_left_out << " more\n";
  out << (found->faults.empty() ? "sound" : "not sound") << '\n';
  const int judged = found->faults.empty() ? 0 : 1;
  if (out.flush())
    return judged;
  problems << "depositd: what was found could not be written whole\n";
  return judged == 0 ? 2 : judged;
}

} // namespace depositd

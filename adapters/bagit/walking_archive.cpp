#include "adapters/archives/composed.hpp"
#include "adapters/archives/entry_kinds.hpp"
#include "adapters/archives/reader.hpp"
#include "adapters/bagit/paths.hpp"
#include "adapters/bagit/walking.hpp"

#include <archive_entry.h>
#include <sys/stat.h>

namespace depositd::bagit {

namespace {

/// What changes when somebody writes to a file, or puts another in its place.
struct file_state {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec written{};
  timespec changed{};

  friend bool operator==(const file_state& a, const file_state& b) {
    const auto same = [](const timespec& x, const timespec& y) {
      return x.tv_sec == y.tv_sec && x.tv_nsec == y.tv_nsec;
    };
    return a.device == b.device && a.inode == b.inode && a.size == b.size
           && same(a.written, b.written) && same(a.changed, b.changed);
  }
};

caf::expected<file_state> state_of(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0)
    return file_state{facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim,
                      facts.st_ctim};
  // One that is gone has changed.
  return errno == ENOENT ? caf::expected<file_state>{file_state{}}
                         : file_failed("look at", path, errno);
}

/// Why an entry of this kind is in no bag; null if it may be.
const char* kind_fault(archive_entry* entry) {
  if (const auto* fault = entry_kind_fault(entry))
    return fault;
  return archive_entry_sparse_count(entry) > 0 ? "is sparse" : nullptr;
}

class archive_walk {
public:
  archive_walk(const walk_request& x, archive_reader& reader,
               walk_client& client, bag_totals& totals)
    : x_(x), reader_(reader), client_(client), totals_(totals),
      costs_(x.limits, std::max<std::uint64_t>(reader.bytes(), 1)) {
    // nop
  }

  std::optional<walk_stop> run() {
    for (;;) {
      auto entry = reader_.next();
      if (!entry)
        return damaged(entry.error());
      if (*entry == nullptr)
        break;
      auto stop = costs_.add_entry();
      if (!stop)
        stop = take(*entry);
      if (stop)
        return stop;
    }
    if (auto failure = reader_.check_end())
      return damaged(failure);
    if (totals_.folder.empty())
      return stop_for(finding_code::top_folder, {}, "the archive is empty");
    return std::nullopt;
  }

private:
  walk_stop damaged(const caf::error& error) const {
    // Of the disk, not of the bag.
    if (error == ec::store_failed)
      return {error, std::nullopt};
    return stop_for(finding_code::unreadable, x_.from.shown_name(),
                    render(error));
  }

  /// Splits off the folder that all of a bag is in.
  std::optional<walk_stop> take(archive_entry* entry) {
    auto path = composed(reader_.name_of(entry));
    if (const auto* fault = kind_fault(entry))
      return stop_for(finding_code::not_allowed, path, fault);
    const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
    while (path.starts_with("./"))
      path.erase(0, 2);
    while (is_folder && path.size() > 1 && path.ends_with('/'))
      path.pop_back();
    if (is_folder && (path.empty() || path == "."))
      return std::nullopt;
    if (auto stop = check_name(path))
      return stop;
    const auto slash = path.find('/');
    if (slash == path.npos && !is_folder)
      return stop_for(finding_code::top_folder, path,
                      "is not in the folder of the bag");
    const auto top = path.substr(0, slash);
    if (totals_.folder.empty())
      totals_.folder = top;
    if (top != totals_.folder)
      return stop_for(finding_code::top_folder, path,
                      "is in another folder than \"" + totals_.folder + "\"");
    path.erase(0, slash == path.npos ? path.npos : slash + 1);
    if (!is_folder)
      return take_file(entry, std::move(path));
    if (!path.empty())
      client_.folder(path);
    return std::nullopt;
  }

  std::optional<walk_stop> take_file(archive_entry* entry, std::string path) {
    bag_file file;
    file.kind = kind_of_file(path);
    file.path = std::move(path);
    file.mode = static_cast<std::uint32_t>(archive_entry_perm(entry)) & 07777;
    file.modified_s = archive_entry_mtime(entry);
    const auto size = archive_entry_size_is_set(entry)
                        ? archive_entry_size(entry)
                        : la_int64_t{0};
    if (size < 0)
      return stop_for(finding_code::unreadable, file.path,
                      "has a negative size");
    file.bytes = static_cast<std::uint64_t>(size);
    if (auto stop = costs_.check_file(file.path, file.bytes))
      return stop;
    auto wanted = client_.begin(file);
    if (!wanted)
      return walk_stop{std::move(wanted.error()), std::nullopt};
    if (*wanted) {
      if (auto stop = read_bytes(file))
        return stop;
      if (auto failure = client_.end(file))
        return walk_stop{std::move(failure), std::nullopt};
    }
    costs_.add_file(file.bytes);
    count_file(file, totals_);
    return std::nullopt;
  }

  std::optional<walk_stop> read_bytes(bag_file& file) {
    std::uint64_t at = 0;
    for (;;) {
      auto block = reader_.read();
      if (!block)
        return damaged(block.error());
      if (block->end)
        break;
      if (block->offset != at)
        return stop_for(finding_code::not_allowed, file.path, "is sparse");
      at += block->bytes.size();
      if (auto stop = costs_.check_file(file.path, at))
        return stop;
      if (auto failure = client_.bytes(block->bytes))
        return walk_stop{std::move(failure), std::nullopt};
    }
    file.bytes = at;
    return std::nullopt;
  }

  const walk_request& x_;
  archive_reader& reader_;
  walk_client& client_;
  bag_totals& totals_;
  walk_costs costs_;
};

} // namespace

std::optional<walk_stop> walk_archive(const walk_request& x,
                                      walk_client& client, bag_totals& totals) {
  const auto name = x.from.shown_name();
  const auto before = state_of(x.from.path);
  if (!before)
    return walk_stop{before.error(), std::nullopt};
  std::optional<walk_stop> stop;
  {
    archive_reader reader;
    if (auto failure = reader.open({x.from.path, name}))
      return failure == ec::store_failed
               ? walk_stop{std::move(failure), std::nullopt}
               : stop_for(finding_code::unreadable, name, render(failure));
    stop = archive_walk{x, reader, client, totals}.run();
  }
  // What looks damaged may only be half written.
  if (stop && !stop->found)
    return stop;
  const auto after = state_of(x.from.path);
  if (!after)
    return walk_stop{after.error(), std::nullopt};
  if (*after != *before)
    return stop_for(finding_code::changed, name,
                    "somebody wrote to it while it was read");
  return stop;
}

} // namespace depositd::bagit

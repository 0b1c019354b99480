#pragma once

// What the stages of an ingest leave each other, in the job's working folder:
//
//   bag.tar           the bag, of a place where it cannot be read
//   files.jsonl       a line for the bag, then one for each of its files
//   unchanged.jsonl   paths of files that the object has already
//   formats.jsonl     a line for each file that is kept
//   report.json       how the bag was judged
//   staged/PATH       files that are kept, until they are stored
//
// A list that is there is whole; one that is being written ends in ".part".
// Nothing of it is in the journal, and none of it is ever held in memory whole.
//
// Whoever reads a list: `ec::not_found`: it is not there; `ec::store_damaged`:
// it is none of ours, or has been damaged. Neither passes by itself.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace depositd::aptrust {

struct interim_folder {
  std::filesystem::path root;

  std::filesystem::path bag() const {
    return root / "bag.tar";
  }
  std::filesystem::path files() const {
    return root / "files.jsonl";
  }
  std::filesystem::path unchanged() const {
    return root / "unchanged.jsonl";
  }
  std::filesystem::path formats() const {
    return root / "formats.jsonl";
  }
  std::filesystem::path report() const {
    return root / "report.json";
  }
  std::filesystem::path staged() const {
    return root / "staged";
  }
  /// Beside the folder, so that no file of a bag can have its name.
  std::filesystem::path part_of_staged() const {
    return root / "staged.part";
  }
};

/// A file of a bag as prefetch has seen it.
struct listed_file {
  std::string path; ///< inside the bag
  std::uint64_t bytes = 0;
  std::string sha256;
  std::string sha512;
};

/// Which bag was listed.
struct listed_bag {
  std::string name;
  std::string etag;
};

/// What kind of file a kept one is.
struct listed_format {
  std::string path; ///< inside the bag
  std::string mime;
  std::string puid; ///< PRONOM's; empty: not known
  std::string method;
};

/// Whether the file goes into storage. What only describes the bag does not:
/// it is made anew when the bag is given back.
bool is_kept(std::string_view path);

/// Writes one of the lists, one JSON value a line.
class list_writer {
public:
  /// With `go_on`, behind the whole lines that an earlier try has left.
  static caf::expected<list_writer> open(const std::filesystem::path& list,
                                         bool go_on = false);

  /// Lines that are there.
  std::uint64_t count() const {
    return count_;
  }

  caf::error add(const nlohmann::json& line);

  /// Makes it durable and gives it its name.
  caf::error finish();

private:
  explicit list_writer(std::filesystem::path list) : list_(std::move(list)) {
    // nop
  }

  std::filesystem::path part() const;

  std::filesystem::path list_;
  std::ofstream out_;
  std::uint64_t count_ = 0;
};

nlohmann::json to_json(const listed_file& x);
nlohmann::json to_json(const listed_bag& x);
nlohmann::json to_json(const listed_format& x);

/// Reads one of the lists, one JSON value a line.
class line_reader {
public:
  static caf::expected<line_reader> open(const std::filesystem::path& list);

  /// The next value; false behind the last.
  caf::expected<bool> next(nlohmann::json& to);

  /// `ec::store_damaged`, with the list's name.
  caf::error damaged(const std::string& why) const;

private:
  explicit line_reader(std::filesystem::path list) : list_(std::move(list)) {
    // nop
  }

  std::filesystem::path list_;
  std::ifstream in_;
};

/// Each file of the bag, in the order of the archive.
caf::error each_file(const interim_folder& folder,
                     const std::function<caf::error(const listed_file&)>& use);

/// Goes through the list of files beside something else.
class list_reader {
public:
  static caf::expected<list_reader> open(const interim_folder& folder);

  /// The next file; false behind the last.
  caf::expected<bool> next(listed_file& to);

  const listed_bag& bag() const {
    return bag_;
  }

private:
  explicit list_reader(line_reader lines) : lines_(std::move(lines)) {
    // nop
  }

  line_reader lines_;
  listed_bag bag_;
};

/// Goes through what is unchanged and through the formats beside the files that
/// are kept, all of which are in the order of the bag.
class findings_reader {
public:
  static caf::expected<findings_reader> open(const interim_folder& folder);

  /// What is known of the next file that is kept, which has this path.
  caf::error next(const std::string& path);

  const listed_format& format() const {
    return format_;
  }

  bool is_unchanged() const {
    return is_unchanged_;
  }

private:
  findings_reader(line_reader unchanged, line_reader formats)
    : unchanged_(std::move(unchanged)), formats_(std::move(formats)) {
    // nop
  }

  caf::error go_on();

  line_reader unchanged_;
  line_reader formats_;
  std::string next_unchanged_; ///< empty: there is none any more
  listed_format format_;
  bool is_unchanged_ = false;
};

} // namespace depositd::aptrust

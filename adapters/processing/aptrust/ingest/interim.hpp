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

/// Calls with each line; an error of `use` ends it. `ec::not_found` if there is
/// no such list, `ec::malformed` if it is none of ours.
caf::error
each_line(const std::filesystem::path& list,
          const std::function<caf::error(const nlohmann::json&)>& use);

nlohmann::json to_json(const listed_file& x);
nlohmann::json to_json(const listed_bag& x);

/// Each file of the bag, in the order of the archive.
caf::error each_file(const interim_folder& folder,
                     const std::function<caf::error(const listed_file&)>& use);

/// Goes through the list beside something else.
class list_reader {
public:
  static caf::expected<list_reader> open(const interim_folder& folder);

  /// The next file; `ec::not_found` behind the last.
  caf::expected<listed_file> next();

  const listed_bag& bag() const {
    return bag_;
  }

private:
  std::ifstream in_;
  listed_bag bag_;
};

} // namespace depositd::aptrust

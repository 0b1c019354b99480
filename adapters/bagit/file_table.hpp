#pragma once

// What is known of the files of one bag, in little memory: bags have hundreds
// of thousands of files, and several are checked at once. For each file: its
// path, about 17 bytes for each algorithm, and about 20 more.

#include "adapters/bagit/digesting.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

namespace depositd::bagit {

using file_index = std::uint32_t;

/// How a digest that a manifest lists compares with the file's own.
enum class digest_state : std::uint8_t {
  unknown,  ///< neither is there
  computed, ///< only the file's
  listed,   ///< only the manifest's
  same,
  different,
};

class file_table {
public:
  static constexpr file_index none = 0xffff'ffff;

  /// What is so about a file.
  enum mark : std::uint8_t {
    present = 1,  ///< it is in the bag
    fetched = 2,  ///< fetch.txt has it
    deferred = 4, ///< a tag file whose text has to be read again
    forgiven = 8, ///< missing, and no fault
    folder = 16,  ///< an archive has it as one, or others are below it
  };

  file_table();

  /// Of a path, which is added if it is not there. `none`: there are too many,
  /// or their names are too long (4 GB).
  file_index add(std::string_view path);

  /// `none` if it is not there.
  file_index find(std::string_view path) const;

  std::string_view path_of(file_index i) const;

  std::size_t size() const {
    return files_.size();
  }

  bool has(file_index i, mark x) const {
    return (files_[i].marks & x) != 0;
  }

  void set(file_index i, mark x) {
    files_[i].marks |= x;
  }

  void clear(file_index i, mark x) {
    files_[i].marks &= static_cast<std::uint8_t>(~x);
  }

  /// What a manifest says; what was so before. If it was listed already, a
  /// `different` comes back for another digest than before, else `same`.
  enum class listing : std::uint8_t { first, same, different };
  listing add_listed(file_index i, const digest& x);

  /// What the file's bytes give.
  void add_computed(file_index i, const digest& x);

  digest_state state(file_index i, digest_algorithm x) const;

  /// Whether the two have been listed with the same digest, or one of them is
  /// listed as what the other one is.
  bool same_digest(file_index i, file_index j, digest_algorithm x) const;

  /// Bytes that this takes.
  std::size_t memory() const;

private:
  /// A digest, hashed with the table's seed: enough to compare, whatever its
  /// length, for whoever does not know the seed.
  using folded = std::array<std::uint8_t, 16>;

  struct file {
    std::uint32_t place = 0; ///< of its path
    std::uint8_t marks = 0;
  };

  struct column {
    std::deque<folded> values;
    std::deque<std::uint8_t> flags;
  };

  folded fold(const digest& x) const;
  column& column_of(digest_algorithm x, file_index i);
  std::uint64_t hash(std::string_view path) const;
  std::size_t slot_of(std::string_view path) const;
  void grow();

  std::uint64_t seed_; ///< nobody can make names that all meet in one slot
  std::deque<file> files_;
  std::vector<file_index> slots_; ///< open addressing; `none`: free
  std::vector<std::unique_ptr<char[]>> names_; ///< length, then bytes
  std::uint32_t names_end_ = 0;
  std::array<column, algorithms_max> columns_;
};

} // namespace depositd::bagit

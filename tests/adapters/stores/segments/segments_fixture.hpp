#pragma once

// A small journal in a folder: three groups to a segment.

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/segments/manifest.hpp"
#include "adapters/stores/segments/segment_file.hpp"
#include "adapters/stores/segments/segments.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

class segments_fixture : public ::testing::Test {
protected:
  using opened = caf::expected<std::unique_ptr<journal_store>>;

  static constexpr std::uint64_t small_segment_bytes = 4 * 4096;

  segments_fixture() {
    options.folder = home.path() / "journal";
    options.segment_bytes = small_segment_bytes;
    options.spares_max = 1;
    options.io = &careless;
  }

  opened open() {
    return open_segments(options);
  }

  /// Fails the test if it cannot be opened.
  std::unique_ptr<journal_store> must_open() {
    auto out = open();
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  static std::string body(std::size_t number) {
    return "group " + std::to_string(number) + std::string(40, '.');
  }

  /// Appends groups of one event; `body(sequence)` is in each.
  static void append(journal_store& store, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto group =
        store.append(body(store.last() + 1), 1,
                     {{"in/0", static_cast<std::int64_t>(store.last())}});
      ASSERT_TRUE(group) << render(group.error());
    }
  }

  /// How many groups can be read, from the first one that is there; each must
  /// be what was appended.
  static std::size_t check(journal_store& store) {
    std::size_t out = 0;
    const auto segments = store.segments();
    if (segments.empty())
      return 0;
    const auto failed =
      store.read(segments.front().first, [&](const stored_group& x) {
        EXPECT_EQ(x.bytes, body(x.first));
        ++out;
        return true;
      });
    EXPECT_FALSE(failed) << render(failed);
    return out;
  }

  std::filesystem::path file(const std::string& name) const {
    return options.folder / name;
  }

  std::filesystem::path segment(std::uint64_t number) const {
    return file(segments::segment_name(number));
  }

  /// Names and contents of all files.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& x : std::filesystem::directory_iterator{options.folder})
      out[x.path().filename().string()] = *read_file(x.path());
    return out;
  }

  static void write(const std::filesystem::path& path,
                    const std::string& bytes) {
    std::ofstream out{path, std::ios::binary | std::ios::trunc};
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(out.flush());
  }

  static void overwrite(const std::filesystem::path& path, std::size_t at,
                        const std::string& bytes) {
    std::fstream out{path, std::ios::binary | std::ios::in | std::ios::out};
    out.seekp(static_cast<std::streamoff>(at));
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(out.flush());
  }

  /// Refused with this code and a text that contains the words.
  void expect_refused(ec code, const std::vector<std::string>& words) {
    const auto store = open();
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error(), code);
    const auto text = render(store.error());
    for (const auto& x : words)
      EXPECT_NE(text.find(x), std::string::npos) << text;
  }

  temporary_folder home{temporary_folder::fast_base()};
  careless_disk careless;
  segments_options options;
};

} // namespace depositd

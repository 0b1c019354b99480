#pragma once

// Bags for tests: written here byte by byte, so that they can be wrong.

#include "adapters/bagit/checking.hpp"
#include "adapters/digests/digester.hpp"
#include "tests/support/temporary_folder.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <locale.h>

namespace depositd::bagit {

struct made_file {
  std::string path; ///< inside the bag
  std::string bytes;
};

inline std::string digest_text(digest_algorithm algorithm,
                               std::string_view bytes) {
  digester x{algorithm};
  x.add(bytes);
  return x.finish().value;
}

inline std::string sha256_line(const made_file& x) {
  return digest_text(digest_algorithm::sha256, x.bytes) + "  " + x.path + "\n";
}

/// A small bag of BagIt 1.0 that is right, to be spoiled.
class made_bag {
public:
  made_bag() {
    set("bagit.txt",
        "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    set("data/one.txt", "one");
    set("data/two/deep.txt", "two");
    set("bag-info.txt", "Source-Organization: Somebody\n");
    list();
  }

  void set(const std::string& path, std::string bytes) {
    for (auto& x : files)
      if (x.path == path) {
        x.bytes = std::move(bytes);
        return;
      }
    files.push_back({path, std::move(bytes)});
  }

  void remove(const std::string& path) {
    std::erase_if(files, [&](const auto& x) { return x.path == path; });
  }

  const std::string& text(const std::string& path) const {
    for (const auto& x : files)
      if (x.path == path)
        return x.bytes;
    static const std::string none;
    return none;
  }

  /// Lists the payload anew.
  void list() {
    std::string manifest;
    for (const auto& x : files)
      if (x.path.starts_with("data/"))
        manifest += sha256_line(x);
    set("manifest-sha256.txt", manifest);
  }

  std::vector<made_file> files;
};

/// An entry of an archive as it is written.
struct made_entry {
  std::string name;
  std::string bytes = "";
  mode_t type = AE_IFREG;
  std::string link = "";
  bool hard = false;
};

class with_bags : public ::testing::Test {
protected:
  using setup = std::function<void(archive*)>;

  static void as_tar(archive* to) {
    archive_write_set_format_pax_restricted(to);
  }

  static void as_ustar(archive* to) {
    archive_write_set_format_ustar(to);
  }

  static void as_zip(archive* to) {
    archive_write_set_format_zip(to);
  }

  static void as_tar_gz(archive* to) {
    archive_write_set_format_pax_restricted(to);
    archive_write_add_filter_gzip(to);
  }

  std::filesystem::path pack(const std::vector<made_entry>& entries,
                             const std::string& name = "bag.tar",
                             const setup& format = &as_tar) const {
    const auto names = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    const auto before = ::uselocale(names);
    const auto path = home.path() / name;
    {
      const std::unique_ptr<archive, int (*)(archive*)> to{archive_write_new(),
                                                           &archive_write_free};
      format(to.get());
      EXPECT_EQ(archive_write_open_filename(to.get(), path.c_str()),
                ARCHIVE_OK);
      for (const auto& x : entries)
        add(to.get(), x);
      EXPECT_EQ(archive_write_close(to.get()), ARCHIVE_OK);
    }
    ::uselocale(before);
    ::freelocale(names);
    return path;
  }

  static std::vector<made_entry> entries_of(const made_bag& bag,
                                            const std::string& top = "bag") {
    std::vector<made_entry> out;
    for (const auto& x : bag.files)
      out.push_back({top + "/" + x.path, x.bytes});
    return out;
  }

  std::filesystem::path tar(const made_bag& bag) const {
    return pack(entries_of(bag));
  }

  std::filesystem::path folder(const made_bag& bag) const {
    const auto path = home.path() / "bag";
    std::filesystem::remove_all(path);
    for (const auto& x : bag.files) {
      std::filesystem::create_directories((path / x.path).parent_path());
      std::ofstream{path / x.path, std::ios::binary} << x.bytes;
    }
    return path;
  }

  static bag_report check(const std::filesystem::path& path,
                          check_options options = {}) {
    auto report = check_bag({path, ""}, options);
    EXPECT_TRUE(report) << render(report.error());
    return report ? std::move(*report) : bag_report{};
  }

  /// The bag is refused, by this and nothing else.
  static void expect_fault(const bag_report& report, finding_code code,
                           const std::string& file) {
    ASSERT_EQ(report.faults.count(), 1u) << report_json(report);
    EXPECT_EQ(to_string(report.faults.kept()[0].code), to_string(code));
    EXPECT_EQ(report.faults.kept()[0].file, file);
  }

  static void expect_valid(const bag_report& report) {
    EXPECT_TRUE(report.valid()) << report_json(report);
  }

  temporary_folder home;

private:
  static void add(archive* to, const made_entry& x) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> header{
      archive_entry_new(), &archive_entry_free};
    archive_entry_set_pathname(header.get(), x.name.c_str());
    archive_entry_set_filetype(header.get(), x.type);
    archive_entry_set_perm(header.get(), 0640);
    archive_entry_set_mtime(header.get(), 1'234'567'890, 0);
    archive_entry_set_size(header.get(),
                           static_cast<la_int64_t>(x.bytes.size()));
    if (!x.link.empty() && x.hard)
      archive_entry_set_hardlink(header.get(), x.link.c_str());
    else if (!x.link.empty())
      archive_entry_set_symlink(header.get(), x.link.c_str());
    ASSERT_EQ(archive_write_header(to, header.get()), ARCHIVE_OK)
      << archive_error_string(to);
    archive_write_data(to, x.bytes.data(), x.bytes.size());
  }
};

} // namespace depositd::bagit

// Archives are made here, the bad ones too. Rows are those of the table of bad
// inputs.

#include "adapters/archives/extract.hpp"
#include "tests/support/temporary_folder.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

#include <locale.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

struct entry {
  std::string name;
  std::string bytes = "";
  mode_t type = AE_IFREG;
  std::string link = "";
  bool hard = false;
};

class extracting : public ::testing::Test {
protected:
  using setup = std::function<void(archive*)>;

  /// Writes an archive and returns its path.
  fs::path make(const std::string& name, const std::vector<entry>& entries,
                const setup& format) const {
    const auto path = home.path() / name;
    const std::unique_ptr<archive, int (*)(archive*)> to{archive_write_new(),
                                                         &archive_write_free};
    format(to.get());
    EXPECT_EQ(archive_write_open_filename(to.get(), path.c_str()), ARCHIVE_OK);
    for (const auto& x : entries)
      add(to.get(), x);
    EXPECT_EQ(archive_write_close(to.get()), ARCHIVE_OK);
    return path;
  }

  static void add(archive* to, const entry& x) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> header{
      archive_entry_new(), &archive_entry_free};
    archive_entry_set_pathname(header.get(), x.name.c_str());
    archive_entry_set_filetype(header.get(), x.type);
    archive_entry_set_perm(header.get(), 0644);
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

  static void as_zip(archive* to) {
    archive_write_set_format_zip(to);
  }

  static void as_stored_zip(archive* to) {
    archive_write_set_format_zip(to);
    archive_write_set_format_option(to, "zip", "compression", "store");
  }

  static void as_tar(archive* to) {
    archive_write_set_format_pax_restricted(to);
  }

  static void as_tar_gz(archive* to) {
    archive_write_set_format_pax_restricted(to);
    archive_write_add_filter_gzip(to);
  }

  fs::path zip(const std::vector<entry>& entries) const {
    return make("a.zip", entries, &as_zip);
  }

  /// Names in pax headers are UTF-8, which the writer asks the locale for.
  fs::path tar(const std::vector<entry>& entries) const {
    const std::unique_ptr<std::remove_pointer_t<locale_t>, void (*)(locale_t)>
      names{::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr), &::freelocale};
    const auto before = ::uselocale(names.get());
    auto out = make("a.tar", entries, &as_tar);
    ::uselocale(before);
    return out;
  }

  caf::expected<std::vector<extracted_file>>
  extract(const fs::path& path, const archive_limits& limits = {}) const {
    return extract_archive({path, path.filename().string()}, out(), limits);
  }

  /// Why it is refused; nothing may be left of it.
  std::string refusal_of(const fs::path& path,
                         const archive_limits& limits = {},
                         ec code = ec::malformed) const {
    const auto files = extract(path, limits);
    EXPECT_FALSE(fs::exists(out())) << "left behind";
    if (files)
      return "unpacked";
    EXPECT_EQ(files.error(), code) << render(files.error());
    return render(files.error());
  }

  fs::path out() const {
    return home.path() / "out";
  }

  static std::string bytes_of(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  std::string content(const std::string& name) const {
    return bytes_of(out() / name);
  }

  void change(const fs::path& path,
              const std::function<void(std::string&)>& what) const {
    std::ifstream in{path, std::ios::binary};
    std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    what(bytes);
    std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
  }

  temporary_folder home;
};

const std::vector<entry> two_files = {
  {"one.txt", "first"}, {"sub/", "", AE_IFDIR}, {"sub/two.txt", "second"}};

} // namespace

TEST_F(extracting, takes_a_zip_without_entries_as_an_archive_of_nothing) {
  const auto empty = zip({});
  const auto files = extract(empty);
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_TRUE(files->empty());
  change(empty, [](std::string& bytes) { bytes += "more"; });
  fs::remove_all(out());
  EXPECT_NE(refusal_of(empty), "unpacked");
}

TEST_F(extracting, M08_takes_zip_and_tar_compressed_or_not) {
  const std::pair<const char*, setup> kinds[] = {{"a.zip", &as_zip},
                                                 {"b.ZIP", &as_stored_zip},
                                                 {"a.tar", &as_tar},
                                                 {"a.tar.gz", &as_tar_gz},
                                                 {"a.tgz", &as_tar_gz}};
  for (const auto& [name, format] : kinds) {
    const auto files = extract(make(name, two_files, format));
    ASSERT_TRUE(files) << name << ": " << render(files.error());
    EXPECT_EQ(*files, (std::vector<extracted_file>{{"one.txt", 5},
                                                   {"sub/two.txt", 6}}));
    EXPECT_EQ(content("one.txt"), "first");
    EXPECT_EQ(content("sub/two.txt"), "second");
    fs::remove_all(out());
  }
}

TEST_F(extracting, takes_a_single_compressed_file_by_its_name) {
  const auto path = make("notes.txt.gz", {{"x", "hello"}}, [](archive* to) {
    archive_write_set_format_raw(to);
    archive_write_add_filter_gzip(to);
  });
  const auto files = extract(path);
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(*files, (std::vector<extracted_file>{{"notes.txt", 5}}));
}

TEST_F(extracting, takes_what_tar_makes_of_a_folder) {
  const auto files =
    extract(tar({{"./", "", AE_IFDIR}, {"./a", "1"}, {"./b/c", "2"}}));
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(*files, (std::vector<extracted_file>{{"a", 1}, {"b/c", 1}}));
}

TEST_F(extracting, M40_reads_names_as_utf8_or_else_as_latin_1) {
  const auto latin = make("a.zip", {{"caf\xe9.txt", "x"}}, &as_zip);
  const auto files = extract(latin);
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(files->front().path, "caf\u00e9.txt");
}

TEST_F(extracting, M42_keeps_names_byte_for_byte) {
  for (const auto* name : {"a b.txt", "a+b%20.txt", "caf\u00e9",
                           "\u65e5\u672c\u8a9e", "\u05e2\u05d1", "a|b"}) {
    const auto files = extract(tar({{name, "x"}}));
    ASSERT_TRUE(files) << render(files.error());
    EXPECT_EQ(files->front().path, name);
    fs::remove_all(out());
  }
}

TEST_F(extracting, row_39_a_single_file_is_compressed_and_only_that_is_undone) {
  const auto path = home.path() / "a.txt.gz";
  std::ofstream{path} << "no gzip at all";
  EXPECT_EQ(refusal_of(path), "the archive is not compressed");
  const auto once = [](archive* to) {
    archive_write_set_format_raw(to);
    archive_write_add_filter_gzip(to);
  };
  const auto inner = bytes_of(make("b.txt.gz", {{"x", "hello"}}, once));
  const auto files = extract(make("b.txt.gz.gz", {{"x", inner}}, once));
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(files->front().path, "b.txt.gz");
  EXPECT_EQ(content("b.txt.gz"), inner);
}

/// As images of disks do; to the library that is a tar without entries.
TEST_F(extracting, takes_a_compressed_file_that_begins_with_zeros) {
  for (const auto& bytes :
       {std::string(5'000, '\0'), std::string(1'024, '\0') + "a disk"}) {
    const auto once = [](archive* to) {
      archive_write_set_format_raw(to);
      archive_write_add_filter_gzip(to);
    };
    const auto path = make("disk.img.gz", {{"x", bytes}}, once);
    const auto files = extract(path);
    ASSERT_TRUE(files) << render(files.error());
    EXPECT_EQ(*files,
              (std::vector<extracted_file>{{"disk.img", bytes.size()}}));
    EXPECT_EQ(content("disk.img"), bytes);
    fs::remove_all(out());
    const auto whole = bytes_of(path);
    std::ofstream{path, std::ios::binary} << whole.substr(0, whole.size() - 9);
    EXPECT_NE(refusal_of(path), "unpacked") << "it is cut off";
  }
}

TEST_F(extracting, takes_an_empty_file_that_is_compressed) {
  for (const auto* name : {"e.txt.gz", "e.txt.bz2"}) {
    const auto path = make(name, {{"x", ""}}, [&](archive* to) {
      archive_write_set_format_raw(to);
      if (std::string_view{name}.ends_with("gz"))
        archive_write_add_filter_gzip(to);
      else
        archive_write_add_filter_bzip2(to);
    });
    const auto whole = bytes_of(path);
    const auto files = extract(path);
    ASSERT_TRUE(files) << render(files.error());
    EXPECT_EQ(*files, (std::vector<extracted_file>{{"e.txt", 0}}));
    EXPECT_EQ(content("e.txt"), "");
    fs::remove_all(out());
    // Which is none that is cut off.
    std::ofstream{path, std::ios::binary} << whole.substr(0, whole.size() - 1);
    EXPECT_NE(refusal_of(path), "unpacked");
  }
}

TEST_F(extracting, M42_takes_decomposed_names_of_zip_as_they_are) {
  const auto files = extract(zip({{"cafe\u0301", "x"}}));
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(files->front().path, "cafe\u0301");
}

TEST_F(extracting, M42_does_not_compose_names_that_are_marked_as_utf8) {
  const auto path = zip({{"cafe\u0301", "x"}, {"ca", "y"}});
  auto marked = bytes_of(path);
  for (const auto& [begin, flags] : {std::pair{"PK\3\4", 7}, {"PK\1\2", 9}})
    for (auto at = marked.find(begin); at != marked.npos;
         at = marked.find(begin, at + 1))
      marked[at + flags] |= 8;
  for (const auto* before : {"", "a program"}) {
    std::ofstream{path, std::ios::binary} << before << marked;
    const auto files = extract(path);
    ASSERT_TRUE(files) << render(files.error());
    EXPECT_EQ(files->back().path, "cafe\u0301");
    fs::remove_all(out());
  }
}

TEST_F(extracting, M39_row_40_refuses_names_that_leave_the_folder) {
  for (const auto* name :
       {"../evil", "a/../../evil", "/evil", "a/..", "..\\evil", "C:\\evil",
        "a//b", "a/./b", "CON", "~/evil", "a\nb"}) {
    for (const auto& path : {zip({{name, "x"}}), tar({{name, "x"}})})
      EXPECT_EQ(refusal_of(path).rfind("the entry \"", 0), 0u) << name;
    EXPECT_FALSE(fs::exists(home.path() / "evil"));
  }
  EXPECT_FALSE(fs::exists("/evil"));
}

TEST_F(extracting, row_40_refuses_symbolic_links_and_files_through_them) {
  const std::vector<entry> entries = {{"a", "", AE_IFLNK, "/"},
                                      {"a/evil", "x"}};
  for (const auto& path : {zip(entries), tar(entries)})
    EXPECT_EQ(refusal_of(path), "the entry \"a\" is a symbolic link");
}

TEST_F(extracting, row_41_refuses_hard_links_and_devices) {
  EXPECT_EQ(refusal_of(tar({{"x", "1"}, {"y", "", AE_IFREG, "x", true}})),
            "the entry \"y\" is a hard link");
  for (const auto type : {AE_IFCHR, AE_IFBLK, AE_IFIFO})
    EXPECT_EQ(refusal_of(tar({{"d", "", static_cast<mode_t>(type)}})),
              "the entry \"d\" is a device, a pipe or a socket");
}

TEST_F(extracting, refuses_names_that_are_one_on_other_machines) {
  EXPECT_EQ(refusal_of(zip({{"a", "1"}, {"a", "2"}})),
            "the entry \"a\" is there twice");
  EXPECT_EQ(refusal_of(zip({{"a/X", "1"}, {"a/x", "2"}})),
            "the entry \"a/x\" differs from \"a/X\" only by case or "
            "composition");
  EXPECT_EQ(refusal_of(tar({{"A/x", "1"}, {"a/y", "2"}})),
            "the entry \"a\" differs from \"A\" only by case or composition");
  EXPECT_NE(refusal_of(zip({{"caf\u00e9", "1"}, {"cafe\u0301", "2"}}))
              .find("composition"),
            std::string::npos);
  EXPECT_EQ(refusal_of(tar({{"a", "1"}, {"a/b", "2"}})),
            "the entry \"a\" is there twice");
}

TEST_F(extracting, row_40_ends_at_the_number_of_entries) {
  std::vector<entry> many;
  for (int i = 0; i < 11; ++i)
    many.push_back({"f" + std::to_string(i), ""});
  EXPECT_EQ(refusal_of(zip(many), {.entries_max = 10}, ec::too_large),
            "the archive has more than 10 entries");
  EXPECT_TRUE(extract(zip(many), {.entries_max = 11}));
}

TEST_F(extracting, row_40_ends_at_the_number_of_folders_in_names) {
  std::vector<entry> many;
  for (int i = 0; i < 11; ++i)
    many.push_back({"f" + std::to_string(i) + "/a/b/c", "1"});
  EXPECT_EQ(refusal_of(zip(many), {.folders_max = 32}, ec::too_large),
            "the archive has more than 32 folders");
  EXPECT_TRUE(extract(zip(many), {.folders_max = 33}));
}

TEST_F(extracting, row_24_row_40_ends_at_the_ratio) {
  const std::string zeros(4'000'000, '\0');
  for (const auto& path :
       {zip({{"zeros", zeros}}), make("a.tgz", {{"zeros", zeros}}, &as_tar_gz)})
    EXPECT_EQ(refusal_of(path, {}, ec::too_large),
              "the archive has more than 100 times its own bytes unpacked");
  EXPECT_TRUE(extract(zip({{"zeros", zeros}}), {.ratio_max = 2'000}));
}

TEST_F(extracting, leaves_of_the_disk_what_is_to_be_free) {
  const auto capacity = fs::space(home.path()).capacity;
  const std::string zeros(9'000'000, '\0');
  const auto path = zip({{"zeros", zeros}});
  EXPECT_NE(refusal_of(path, {.ratio_max = 2'000, .disk_free_min = capacity},
                       ec::store_failed)
              .find(" MB free"),
            std::string::npos);
}

TEST_F(extracting, row_40_ends_at_the_bytes_whatever_is_declared) {
  const auto path =
    zip({{"a", std::string(600, 'a')}, {"b", std::string(600, 'b')}});
  EXPECT_EQ(refusal_of(path, {.bytes_max = 1'000}, ec::too_large),
            "the archive has more than 1000 bytes unpacked");
  EXPECT_EQ(refusal_of(path, {.file_bytes_max = 599}, ec::too_large),
            "the entry \"a\" has more than 599 bytes");
  EXPECT_TRUE(extract(path, {.bytes_max = 1'200, .file_bytes_max = 600}));
}

TEST_F(extracting, row_40_refuses_a_wrong_checksum) {
  const auto path = make("a.zip", {{"a", "0123456789"}}, &as_stored_zip);
  change(path,
         [](std::string& bytes) { bytes[bytes.find("0123456789") + 3] = 'x'; });
  EXPECT_EQ(refusal_of(path).rfind("the archive cannot be unpacked: ", 0), 0u);
}

TEST_F(extracting, row_40_refuses_what_is_encrypted) {
  const auto path = make("a.zip", {{"secret", "0123456789"}}, [](archive* to) {
    archive_write_set_format_zip(to);
    ASSERT_EQ(archive_write_set_options(to, "zip:encryption=zipcrypt"),
              ARCHIVE_OK);
    archive_write_set_passphrase(to, "password");
  });
  EXPECT_EQ(refusal_of(path), "the entry \"secret\" is encrypted");
}

TEST_F(extracting, row_40_refuses_data_behind_the_end) {
  const auto path = zip(two_files);
  change(path, [](std::string& bytes) { bytes += "more"; });
  EXPECT_EQ(refusal_of(path), "something follows the end of the archive");
}

TEST_F(extracting, refuses_what_is_cut_off_anywhere) {
  for (const auto& [name, format] :
       {std::pair<const char*, setup>{"a.zip", &as_zip},
        {"a.tgz", &as_tar_gz}}) {
    const auto path = make(name, two_files, format);
    const auto size = fs::file_size(path);
    for (const auto bytes :
         {size - 10, size / 2, std::uintmax_t{1}, std::uintmax_t{0}}) {
      fs::resize_file(path, bytes);
      EXPECT_NE(refusal_of(path), "") << name << " cut to " << bytes;
    }
  }
}

TEST_F(extracting, row_41_counts_what_is_sparse_as_it_reads) {
  const auto path = tar({{"big", "x"}});
  change(path, [](std::string& bytes) {
    // The size in base 256: more than any disk has.
    bytes.replace(124, 12, std::string{"\x80\0\0\0\x7f\0\0\0\0\0\0\0", 12});
    std::string header = bytes.substr(0, 512);
    header.replace(148, 8, 8, ' ');
    unsigned sum = 0;
    for (const unsigned char c : header)
      sum += c;
    char text[8];
    std::snprintf(text, sizeof(text), "%06o", sum);
    bytes.replace(148, 8, std::string{text, 7} + ' ');
  });
  const auto files = extract(path);
  ASSERT_FALSE(files);
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(extracting, does_not_take_other_kinds) {
  const auto path = home.path() / "a.rar";
  std::ofstream{path} << "Rar!";
  EXPECT_EQ(refusal_of(path), "\"a.rar\" is not the name of an archive");
  const auto text = home.path() / "text.zip";
  std::ofstream{text} << "hello";
  EXPECT_NE(refusal_of(text).find("the archive cannot be read"),
            std::string::npos);
}

TEST_F(extracting, keeps_an_archive_in_the_archive_as_it_is) {
  const auto inner = zip(two_files);
  std::ifstream in{inner, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  const auto files = extract(tar({{"inner.zip", bytes}}));
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(content("inner.zip"), bytes);
}

TEST_F(extracting, never_writes_into_a_folder_that_is_there) {
  fs::create_directory(out());
  EXPECT_EQ(extract(zip(two_files)).error(), ec::store_failed);
  EXPECT_TRUE(fs::is_empty(out())) << "and leaves it alone";
}

TEST_F(extracting, leaves_the_locale_of_the_thread_alone) {
  const auto before = ::uselocale(nullptr);
  EXPECT_TRUE(extract(zip(two_files)));
  EXPECT_EQ(::uselocale(nullptr), before);
}

TEST_F(extracting, says_nothing_about_what_the_disk_does_not_give) {
  // Its first byte cannot be read.
  const fs::path broken = "/proc/self/mem";
  for (const auto* name : {"x.tar", "x.zip", "x.tar.gz"})
    EXPECT_EQ(
      extract_archive({broken, name}, home.path() / "out", {}).error(),
      ec::store_failed)
      << name;
}

} // namespace depositd

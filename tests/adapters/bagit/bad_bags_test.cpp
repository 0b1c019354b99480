// Rows are those of the table of bad inputs.

#include "messages/values/utf8.hpp"
#include "tests/adapters/bagit/bag_maker.hpp"

#include <cstdlib>
#include <iterator>

namespace depositd::bagit {

namespace {

class bad_bags : public with_bags {
protected:
  /// A good bag with one entry more.
  bag_report with(made_entry more) const {
    auto entries = entries_of(made_bag{});
    entries.push_back(std::move(more));
    return check(pack(entries));
  }
};

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_F(bad_bags, row_37_names_that_are_dangerous_are_refused) {
  const auto refused = [&](const std::string& name) {
    const auto report = with({name, "x"});
    EXPECT_EQ(report.faults.count(), 1u) << name;
    EXPECT_TRUE(report.faults.has(finding_code::illegal_name)) << name;
  };
  for (const auto* name :
       {"/etc/passwd", "../x", "bag/../../x", "bag/data/../../../x", "~/x",
        "bag/data//x", "bag/data/./x", "bag/data/..\\..\\x", "C:\\x"})
    refused(name);
  refused("bag/data/" + std::string(300, 'x'));
}

TEST_F(bad_bags, row_37_names_that_are_not_utf8_are_refused_and_shown_escaped) {
  // Of a tar file without extended headers, which has bytes and no encoding.
  const auto plain = [&](const made_entry& more) {
    auto entries = entries_of(made_bag{});
    entries.push_back(more);
    return check(pack(entries, "bag.tar", &as_ustar));
  };
  expect_fault(plain({"bag/data/caf\xe9.txt", "x"}), finding_code::illegal_name,
               "bag/data/caf\\xe9.txt");
  expect_fault(plain({"bag/data/a\xff", "x"}), finding_code::illegal_name,
               "bag/data/a\\xff");
  expect_fault(plain({"bag/data/l\xff", "", AE_IFLNK, "/etc/passwd"}),
               finding_code::not_allowed, "bag/data/l\\xff");
  const auto path = folder(made_bag{});
  std::ofstream{path / "data/caf\xe9.txt"} << "x";
  const auto report = check(path);
  expect_fault(report, finding_code::illegal_name, "data/caf\\xe9.txt");
  EXPECT_EQ(find_invalid_utf8(report_json(report)), std::string_view::npos);
}

TEST_F(bad_bags, row_37_names_in_manifests_are_no_way_out) {
  for (const auto* name : {"../x", "/etc/x", "~/x", "data/a//b", "data/a/./b",
                           "data/../x", "bag-info.txt", "data"}) {
    made_bag bag;
    bag.set("manifest-sha256.txt",
            bag.text("manifest-sha256.txt") + sha256_line({name, "x"}));
    expect_fault(check(tar(bag)), finding_code::outside_bag,
                 "manifest-sha256.txt");
  }
}

TEST_F(bad_bags, row_37_names_that_are_odd_elsewhere_are_warned_of) {
  made_bag bag;
  bag.set("data/CON", "x");
  bag.set("data/dot.", "x");
  bag.set("data/ONE.txt", "x");
  bag.list();
  const auto report = check(tar(bag));
  expect_valid(report);
  EXPECT_EQ(report.warnings.count(), 3u) << report_json(report);
  EXPECT_TRUE(report.warnings.has(finding_code::odd_name));
  EXPECT_TRUE(report.warnings.has(finding_code::same_but_case));
}

TEST_F(bad_bags, row_41_links_and_devices_are_refused) {
  expect_fault(with({"bag/data/l", "", AE_IFLNK, "/etc/passwd"}),
               finding_code::not_allowed, "bag/data/l");
  expect_fault(with({"bag/data/h", "", AE_IFREG, "bag/data/one.txt", true}),
               finding_code::not_allowed, "bag/data/h");
  expect_fault(with({"bag/data/f", "", AE_IFIFO}), finding_code::not_allowed,
               "bag/data/f");
  expect_fault(with({"bag/data/c", "", AE_IFCHR}), finding_code::not_allowed,
               "bag/data/c");
  const auto path = folder(made_bag{});
  std::filesystem::create_symlink("/etc/passwd", path / "data/l");
  expect_fault(check(path), finding_code::not_allowed, "data/l");
}

TEST_F(bad_bags, row_41_a_folder_behind_a_link_is_not_read) {
  const auto path = folder(made_bag{});
  std::filesystem::create_directory_symlink("/etc", path / "data/etc");
  expect_fault(check(path), finding_code::not_allowed, "data/etc");
}

TEST_F(bad_bags, row_41_a_sparse_file_of_a_terabyte_costs_nothing) {
  // GNU tar writes such a file in a few blocks.
  const auto big = home.path() / "bag/data/big";
  folder(made_bag{});
  std::ofstream{big} << "x";
  std::filesystem::resize_file(big, std::uintmax_t{1} << 40);
  const auto file = home.path() / "bag.tar";
  const auto command =
    "tar -C '" + home.path().string() + "' -S -cf '" + file.string() + "' bag";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto report = check(file);
  EXPECT_FALSE(report.valid());
  EXPECT_TRUE(report.faults.has(finding_code::not_allowed)
              || report.faults.has(finding_code::too_large))
    << report_json(report);
}

TEST_F(bad_bags, row_24_40_bombs_are_refused_by_their_ratio) {
  made_bag bag;
  bag.set("data/zeros", std::string(8'000'000, '\0'));
  bag.list();
  const auto path = pack(entries_of(bag), "bag.tar.gz", &as_tar_gz);
  const auto report = check(path);
  expect_fault(report, finding_code::too_large, "data/zeros");
  check_options options;
  options.limits.ratio_max = 10'000;
  expect_valid(check(path, options));
}

TEST_F(bad_bags, row_36_limits_are_inclusive) {
  const made_bag bag; // five files, the largest a manifest
  const auto path = tar(bag);
  check_options options;
  options.limits.entries_max = 5;
  expect_valid(check(path, options));
  options.limits.entries_max = 4;
  EXPECT_TRUE(check(path, options).faults.has(finding_code::too_large));
  options = {};
  options.limits.file_bytes_max = bag.text("manifest-sha256.txt").size();
  expect_valid(check(path, options));
  --options.limits.file_bytes_max;
  EXPECT_TRUE(check(path, options).faults.has(finding_code::too_large));
  options = {};
  options.limits.tag_file_bytes_max = 5;
  expect_fault(check(path, options), finding_code::too_large, "bag-info.txt");
}

TEST_F(bad_bags, row_36_a_line_without_an_end_is_not_kept) {
  made_bag bag;
  bag.set("tagmanifest-md5.txt", std::string(10'000'000, 'a'));
  expect_fault(check(folder(bag)), finding_code::too_large,
               "tagmanifest-md5.txt");
}

TEST_F(bad_bags, row_36_no_more_tags_are_kept_than_people_write) {
  std::string tags;
  for (int i = 0; i < 10'001; ++i)
    tags += "a:\n";
  made_bag bag;
  bag.set("notes.txt", tags);
  const auto noted = check(folder(bag));
  EXPECT_FALSE(noted.faults.has(finding_code::too_large));
  EXPECT_TRUE(noted.tags_of("notes.txt").empty());
  bag.set("bag-info.txt", tags);
  expect_fault(check(folder(bag)), finding_code::too_large, "bag-info.txt");
}

TEST_F(bad_bags, row_40_damaged_archives_are_no_bags) {
  const auto path = tar(made_bag{});
  const auto whole = read_whole(path);
  for (const std::size_t size : {std::size_t{0}, std::size_t{100},
                                 std::size_t{700}, std::size_t{2'000}}) {
    std::ofstream{path, std::ios::binary} << whole.substr(0, size);
    EXPECT_FALSE(check(path).valid()) << size;
  }
  auto spoiled = whole;
  spoiled[10] = 'X'; // the checksum of the header is wrong now
  std::ofstream{path, std::ios::binary} << spoiled;
  expect_fault(check(path), finding_code::unreadable, "bag.tar");
  std::ofstream{home.path() / "bag.exe"} << "MZ";
  EXPECT_TRUE(
    check(home.path() / "bag.exe").faults.has(finding_code::unreadable));
}

TEST_F(bad_bags, entries_that_are_there_twice_are_refused) {
  expect_fault(with({"bag/data/one.txt", "other"}),
               finding_code::duplicate_entry, "data/one.txt");
}

TEST_F(bad_bags, a_file_is_no_folder_of_others) {
  made_bag bag;
  bag.set("data/one.txt/below/it", "x");
  bag.list();
  expect_fault(check(tar(bag)), finding_code::file_and_folder, "data/one.txt");
  expect_fault(with({"bag/data/one.txt/", "", AE_IFDIR}),
               finding_code::file_and_folder, "data/one.txt");
  made_bag tags;
  tags.set("meta", "x");
  tags.set("meta/data.txt", "x");
  tags.set("meta/other.txt", "x");
  expect_fault(check(tar(tags)), finding_code::file_and_folder, "meta");
  made_bag listed;
  const auto missing = sha256_line({"data/one.txt/below", "x"});
  listed.set("manifest-sha256.txt",
             listed.text("manifest-sha256.txt") + missing);
  const auto report = check(folder(listed));
  EXPECT_TRUE(report.faults.has(finding_code::file_and_folder));
  EXPECT_TRUE(report.faults.has(finding_code::missing_file));
}

TEST_F(bad_bags, folders_that_an_archive_names_are_no_files) {
  auto entries = entries_of(made_bag{});
  for (const auto* path : {"bag/", "bag/data/", "bag/data/two/", "bag/DATA/"})
    entries.push_back({path, "", AE_IFDIR});
  const auto report = check(pack(entries));
  expect_valid(report);
  EXPECT_TRUE(report.warnings.empty()) << report_json(report);
}

TEST_F(bad_bags, one_folder_holds_all_of_it) {
  expect_fault(with({"other/data/x", "x"}), finding_code::top_folder,
               "other/data/x");
  expect_fault(with({"loose", "x"}), finding_code::top_folder, "loose");
  expect_fault(check(pack({})), finding_code::top_folder, "");
  const auto report = check(pack(entries_of(made_bag{}, "other")));
  expect_valid(report);
  EXPECT_TRUE(report.warnings.has(finding_code::top_folder));
}

TEST_F(bad_bags, a_bag_that_changes_while_it_is_read_is_refused) {
  struct writing : bag_visitor {
    caf::error end(const bag_file& x) override {
      if (x.path == "data/one.txt")
        std::ofstream{path, std::ios::app} << "more";
      return {};
    }
    std::filesystem::path path;
  } visitor;
  visitor.path = tar(made_bag{});
  expect_fault(check(visitor.path, {.visitor = &visitor}),
               finding_code::changed, "bag.tar");
}

TEST_F(bad_bags, a_file_that_grows_while_it_is_read_is_refused) {
  struct writing : bag_visitor {
    caf::error begin(const bag_file& x) override {
      if (x.path == "data/one.txt")
        std::ofstream{path / x.path, std::ios::app} << "more";
      return {};
    }
    std::filesystem::path path;
  } visitor;
  visitor.path = folder(made_bag{});
  expect_fault(check(visitor.path, {.visitor = &visitor}),
               finding_code::changed, "data/one.txt");
}

TEST_F(bad_bags, what_the_disk_does_not_give_is_not_the_bags_fault) {
  // Its first byte cannot be read.
  EXPECT_EQ(check_bag({"/proc/self/mem", "bag.tar"}, {}).error(),
            ec::store_failed);
}

TEST_F(bad_bags, errors_of_a_visitor_are_not_the_bags_faults) {
  struct failing : bag_visitor {
    caf::error bytes(std::string_view) override {
      return caf::make_error(ec::store_failed, "the disk is full");
    }
  } visitor;
  EXPECT_EQ(check_bag({tar(made_bag{}), ""}, {.visitor = &visitor}).error(),
            ec::store_failed);
}

} // namespace depositd::bagit

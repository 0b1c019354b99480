#include "tests/adapters/bagit/bag_maker.hpp"

#include <algorithm>

namespace depositd::bagit {

namespace {

class checking : public with_bags {};

std::string utf16(std::string_view ascii) {
  std::string out = "\xff\xfe";
  for (const char c : ascii) {
    out += c;
    out += '\0';
  }
  return out;
}

} // namespace

TEST_F(checking, a_good_bag_is_valid_in_a_folder_and_in_every_archive) {
  const made_bag bag;
  expect_valid(check(folder(bag)));
  expect_valid(check(tar(bag)));
  expect_valid(check(pack(entries_of(bag), "bag.zip", &as_zip)));
  const auto report = check(pack(entries_of(bag), "bag.tar.gz", &as_tar_gz));
  expect_valid(report);
  EXPECT_TRUE(report.warnings.empty()) << report_json(report);
  EXPECT_TRUE(report.serialized);
  EXPECT_EQ(report.version, "1.0");
  EXPECT_EQ(report.encoding, "UTF-8");
  EXPECT_EQ(report.totals.folder, "bag");
  EXPECT_EQ(report.totals.payload_files, 2u);
  EXPECT_EQ(report.totals.payload_bytes, 6u);
  EXPECT_EQ(report.totals.tag_files, 3u);
  EXPECT_EQ(report.info(),
            (std::vector<tag>{{"Source-Organization", "Somebody"}}));
}

TEST_F(checking, the_order_of_an_archive_does_not_matter) {
  made_bag bag;
  bag.set("tagmanifest-sha512.txt",
          digest_text(digest_algorithm::sha512, bag.text("bagit.txt"))
            + "  bagit.txt\n");
  bag.set("manifest-sha512.txt",
          digest_text(digest_algorithm::sha512, "one") + "  data/one.txt\n"
            + digest_text(digest_algorithm::sha512, "two")
            + "  data/two/deep.txt\n");
  auto entries = entries_of(bag);
  expect_valid(check(pack(entries)));
  // Payload first, manifests before bagit.txt: nothing is known in time.
  std::reverse(entries.begin(), entries.end());
  expect_valid(check(pack(entries)));
  bag.set("data/one.txt", "another");
  entries = entries_of(bag);
  std::reverse(entries.begin(), entries.end());
  const auto report = check(pack(entries), {.digests = {}});
  EXPECT_EQ(report.faults.count(), 2u); // by either manifest
  EXPECT_TRUE(report.faults.has(finding_code::wrong_digest));
}

TEST_F(checking, a_wrong_digest_is_found_at_its_last_digit) {
  for (const auto algorithm :
       {digest_algorithm::md5, digest_algorithm::sha1, digest_algorithm::sha224,
        digest_algorithm::sha256, digest_algorithm::sha384,
        digest_algorithm::sha512}) {
    made_bag bag;
    auto value = digest_text(algorithm, "one");
    bag.remove("data/two/deep.txt");
    bag.remove("manifest-sha256.txt");
    std::string name{digest_name(algorithm)};
    std::erase(name, '-');
    bag.set("manifest-" + name + ".txt", value + "  data/one.txt\n");
    expect_valid(check(tar(bag)));
    value.back() = value.back() == '0' ? '1' : '0';
    bag.set("manifest-" + name + ".txt", value + "  data/one.txt\n");
    expect_fault(check(tar(bag)), finding_code::wrong_digest, "data/one.txt");
    expect_fault(check(folder(bag)), finding_code::wrong_digest,
                 "data/one.txt");
  }
}

TEST_F(checking, missing_extra_and_unlisted_files_are_named) {
  made_bag bag;
  bag.remove("data/one.txt");
  expect_fault(check(tar(bag)), finding_code::missing_file, "data/one.txt");
  bag = {};
  bag.set("data/more.txt", "more");
  expect_fault(check(tar(bag)), finding_code::unlisted_file, "data/more.txt");
  bag = {};
  bag.set("tagmanifest-sha256.txt", sha256_line({"bag-info.txt", "other"}));
  expect_fault(check(tar(bag)), finding_code::wrong_tag_digest, "bag-info.txt");
  bag.remove("bag-info.txt");
  expect_fault(check(tar(bag)), finding_code::missing_file, "bag-info.txt");
}

TEST_F(checking, manifests_have_to_agree_about_files_since_1_0) {
  made_bag bag;
  bag.set("manifest-md5.txt",
          digest_text(digest_algorithm::md5, "one") + "  data/one.txt\n");
  expect_fault(check(tar(bag)), finding_code::unlisted_file,
               "data/two/deep.txt");
  bag.set("bagit.txt",
          "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n");
  const auto report = check(tar(bag));
  expect_valid(report);
  EXPECT_TRUE(report.warnings.has(finding_code::unlisted_file));
}

TEST_F(checking, bagit_txt_is_strict) {
  made_bag bag;
  bag.remove("bagit.txt");
  expect_fault(check(tar(bag)), finding_code::bagit_txt, "bagit.txt");
  const auto with = [&](const std::string& text) {
    bag.set("bagit.txt", text);
    return check(tar(bag));
  };
  const std::string encoding = "Tag-File-Character-Encoding: UTF-8\n";
  for (const auto* first :
       {"BagIt-Version : 1.0\n", "BagIt-Version:1.0\n", "BagIt-Version: 1.0 \n",
        "\xef\xbb\xbf"
        "BagIt-Version: 1.0\n",
        "bagit-version: 1.0\n", "", "BagIt-Version: 1.0\n\n"})
    expect_fault(with(first + encoding), finding_code::bagit_txt, "bagit.txt");
  expect_fault(with("BagIt-Version: 1.0\n" + encoding + "More: x\n"),
               finding_code::bagit_txt, "bagit.txt");
  for (const auto* version : {"1.1", ".97", "0.92", "2", "1.00"})
    expect_fault(
      with("BagIt-Version: " + std::string{version} + "\n" + encoding),
      finding_code::version, "bagit.txt");
  expect_fault(with("BagIt-Version: 1.0\nTag-File-Character-Encoding: EBCDIC"),
               finding_code::encoding, "bagit.txt");
  expect_fault(with(std::string(5'000, 'x')), finding_code::too_large,
               "bagit.txt");
  expect_valid(
    with("BagIt-Version: 1.0\r\nTag-File-Character-Encoding: UTF-8"));
}

TEST_F(checking, tag_files_are_read_in_their_encoding) {
  made_bag bag;
  const auto declare = [&](const std::string& name) {
    bag.set("bagit.txt", "BagIt-Version: 1.0\n"
                         "Tag-File-Character-Encoding: "
                           + name + "\n");
  };
  const made_file accented{"data/caf\xc3\xa9.txt", "x"};
  bag.files = {};
  bag.set(accented.path, accented.bytes);
  const auto digest = digest_text(digest_algorithm::sha256, "x");
  bag.set("manifest-sha256.txt", digest + "  data/caf\xe9.txt\n");
  bag.set("bag-info.txt", "Contact-Name: Ren\xe9\n");
  declare("ISO-8859-1");
  const auto report = check(tar(bag));
  expect_valid(report);
  EXPECT_EQ(value_of(report.info(), "contact-name"), "Ren\xc3\xa9");
  declare("UTF-8");
  const auto wrong = check(tar(bag));
  EXPECT_TRUE(wrong.faults.has(finding_code::encoding));

  made_bag wide;
  wide.set("bagit.txt", "BagIt-Version: 1.0\n"
                        "Tag-File-Character-Encoding: UTF-16\n");
  wide.set("manifest-sha256.txt", utf16(wide.text("manifest-sha256.txt")));
  wide.set("bag-info.txt", utf16("Contact-Name: Ren"));
  expect_valid(check(tar(wide)));
  EXPECT_EQ(value_of(check(folder(wide)).info(), "Contact-Name"), "Ren");
  wide.set("bag-info.txt", utf16("Contact-Name: Ren") + "x");
  expect_fault(check(tar(wide)), finding_code::encoding, "bag-info.txt");
}

TEST_F(checking, tags_of_the_bag_are_in_the_file_of_its_version) {
  made_bag bag;
  bag.set("package-info.txt", "no tags here");
  const auto report = check(tar(bag));
  expect_valid(report);
  EXPECT_EQ(value_of(report.info(), "Source-Organization"), "Somebody");
  bag.set("bagit.txt", "BagIt-Version: 0.94\n"
                       "Tag-File-Character-Encoding: UTF-8\n");
  bag.set("package-info.txt", "Contact-Name: Ren\n");
  bag.remove("bag-info.txt");
  const auto old = check(tar(bag));
  expect_valid(old);
  EXPECT_EQ(value_of(old.info(), "Contact-Name"), "Ren");
}

TEST_F(checking, names_are_composed_and_percents_are_decoded) {
  made_bag bag;
  bag.files = {{"bagit.txt", bag.text("bagit.txt")}};
  bag.set("data/cafe\xcc\x81", "x"); // decomposed
  bag.set("data/a%b\nc\rd", "y");
  bag.set("manifest-sha256.txt", sha256_line({"data/cafe\xcc\x81", "x"})
                                   + sha256_line({"data/a%25b%0Ac%0dd", "y"}));
  for (const auto& format : {&as_tar, &as_ustar})
    expect_valid(check(pack(entries_of(bag), "bag.tar", format)));
  expect_valid(check(folder(bag)));
}

TEST_F(checking, payload_oxum_is_checked) {
  made_bag bag;
  bag.set("bag-info.txt", "Payload-Oxum: 6.2\n");
  expect_valid(check(tar(bag)));
  for (const auto* wrong : {"6.3", "7.2", "six", "6.2.1", "-6.2", ""}) {
    bag.set("bag-info.txt", "Payload-Oxum: " + std::string{wrong} + "\n");
    expect_fault(check(tar(bag)), finding_code::payload_oxum, "bag-info.txt");
  }
}

TEST_F(checking, nothing_is_fetched) {
  made_bag bag;
  bag.set("fetch.txt", "http://127.0.0.1/one 3 data/one.txt\n");
  expect_valid(check(tar(bag)));
  bag.remove("data/one.txt");
  expect_fault(check(tar(bag)), finding_code::fetch, "data/one.txt");
  bag = {};
  for (const auto* path :
       {"../x", "/etc/passwd", "~/x", "data/../../x", "bagit.txt", "C:\\x"}) {
    bag.set("fetch.txt", "http://127.0.0.1/ - " + std::string{path} + "\n");
    expect_fault(check(tar(bag)), finding_code::outside_bag, "fetch.txt");
  }
  bag.set("fetch.txt", "http://127.0.0.1/ many data/one.txt\n");
  expect_fault(check(tar(bag)), finding_code::bad_line, "fetch.txt");
}

TEST_F(checking, unknown_algorithms_cannot_be_checked) {
  made_bag bag;
  bag.set("manifest-blake2.txt", "00  data/one.txt\n");
  expect_fault(check(tar(bag)), finding_code::unknown_algorithm,
               "manifest-blake2.txt");
  bag.remove("manifest-blake2.txt");
  bag.remove("manifest-sha256.txt");
  const auto report = check(tar(bag));
  EXPECT_TRUE(report.faults.has(finding_code::no_manifest));
}

TEST_F(checking, faults_are_counted_but_not_all_kept) {
  made_bag bag;
  std::string lines;
  for (int i = 0; i < 5'000; ++i)
    lines += "nonsense\n";
  bag.set("tagmanifest-sha256.txt", lines);
  const auto report = check(tar(bag));
  EXPECT_EQ(report.faults.count(), 5'000u);
  EXPECT_EQ(report.faults.kept().size(), finding_list::kept_max);
}

TEST_F(checking, a_visitor_sees_each_file_once_with_its_digests) {
  struct collecting : bag_visitor {
    caf::error end(const bag_file& x) override {
      EXPECT_GE(x.digests.size(), 1u);
      paths.push_back(x.path);
      for (const auto& y : x.digests)
        if (y.algorithm == digest_algorithm::md5 && x.path == "data/one.txt")
          md5 = y.value;
      return {};
    }
    std::vector<std::string> paths;
    std::string md5;
  } visitor;
  made_bag bag;
  bag.set("manifest-sha512.txt", // makes a second reading
          digest_text(digest_algorithm::sha512, "one") + "  data/one.txt\n"
            + digest_text(digest_algorithm::sha512, "two")
            + "  data/two/deep.txt\n");
  expect_valid(
    check(tar(bag), {.digests = {digest_algorithm::md5}, .visitor = &visitor}));
  EXPECT_EQ(visitor.paths.size(), bag.files.size());
  EXPECT_EQ(visitor.md5, digest_text(digest_algorithm::md5, "one"));
}

TEST_F(checking, what_is_not_there_is_no_bag_that_is_wrong) {
  EXPECT_EQ(check_bag({home.path() / "none.tar", ""}, {}).error(),
            ec::not_found);
}

} // namespace depositd::bagit

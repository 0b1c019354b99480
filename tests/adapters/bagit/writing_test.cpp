#include "adapters/bagit/writing.hpp"
#include "tests/adapters/bagit/bag_maker.hpp"

#include <map>

namespace depositd::bagit {

namespace {

class writing : public with_bags {
protected:
  bag_member member(const std::string& path, const std::string& bytes) {
    const auto source = home.path() / ("source" + std::to_string(next_++));
    std::ofstream{source, std::ios::binary} << bytes;
    return {.path = path, .source = source};
  }

  std::filesystem::path to() const {
    return home.path() / "new.tar";
  }

  static new_bag plan() {
    new_bag out;
    out.name = "new";
    out.info = {{"Source-Organization", "Somebody"},
                {"External-Description", "two\nlines"}};
    out.created_s = 1'700'000'000;
    return out;
  }

private:
  int next_ = 0;
};

struct texts : bag_visitor {
  caf::error begin(const bag_file& x) override {
    path = x.path;
    return {};
  }
  caf::error bytes(std::string_view part) override {
    all[path] += part;
    return {};
  }
  std::string path;
  std::map<std::string, std::string> all;
};

} // namespace

TEST_F(writing, what_was_written_is_valid_and_has_the_same_bytes) {
  const std::map<std::string, std::string> payload = {
    {"data/plain.txt", "plain"},
    {"data/empty", ""},
    {"data/odd %41%0A\n\r name", "odd"},
    {"data/caf\xc3\xa9", "accented"},
    {"data/" + std::string(150, 'd') + "/" + std::string(200, 'f'), "long"},
    {"data/large", std::string(3'000'000, 'L')},
  };
  auto writer = bag_writer::open(to(), plan());
  ASSERT_TRUE(writer) << render(writer.error());
  for (const auto& [path, bytes] : payload)
    EXPECT_FALSE(writer->add(member(path, bytes)));
  EXPECT_FALSE(writer->add(member("metadata/mods.xml", "<mods/>")));
  EXPECT_FALSE(writer->add(member("aptrust-info.txt", "Title: A title\n")));
  const auto written = writer->finish();
  ASSERT_TRUE(written) << render(written.error());
  EXPECT_EQ(written->payload_files, payload.size());
  EXPECT_EQ(written->bytes, std::filesystem::file_size(to()));
  texts seen;
  const auto report = check(to(), {.visitor = &seen});
  expect_valid(report);
  EXPECT_EQ(report.manifests.size(), 2u);
  EXPECT_EQ(report.tag_manifests.size(), 2u);
  EXPECT_EQ(value_of(report.info(), "External-Description"), "two lines");
  EXPECT_EQ(value_of(report.info(), "Bagging-Date"), "2023-11-14");
  EXPECT_EQ(value_of(report.tags_of("aptrust-info.txt"), "Title"), "A title");
  EXPECT_EQ(report.totals.payload_files, payload.size());
  for (const auto& [path, bytes] : payload)
    EXPECT_EQ(seen.all[path], bytes) << path;
}

TEST_F(writing, tag_files_are_in_the_encoding_of_the_bag) {
  for (const auto* encoding : {"ISO-8859-1", "UTF-16", "UTF-16LE"}) {
    std::filesystem::remove(to());
    auto what = plan();
    what.encoding = encoding;
    what.info = {{"Contact-Name", "Ren\xc3\xa9"}, {"payload-oxum", "9.9"}};
    auto writer = bag_writer::open(to(), std::move(what));
    ASSERT_TRUE(writer) << render(writer.error());
    EXPECT_FALSE(writer->add(member("data/caf\xc3\xa9", "x")));
    ASSERT_TRUE(writer->finish());
    const auto report = check(to());
    expect_valid(report);
    EXPECT_EQ(report.encoding, encoding);
    EXPECT_EQ(value_of(report.info(), "Contact-Name"), "Ren\xc3\xa9");
  }
}

TEST_F(writing, a_bag_without_payload_is_one) {
  auto writer = bag_writer::open(to(), plan());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->finish());
  expect_valid(check(to()));
}

TEST_F(writing, a_file_that_is_not_what_was_expected_spoils_the_bag) {
  {
    auto writer = bag_writer::open(to(), plan());
    ASSERT_TRUE(writer);
    auto good = member("data/x", "x");
    good.expected = {
      {digest_algorithm::sha1, digest_text(digest_algorithm::sha1, "x")}};
    EXPECT_FALSE(writer->add(good));
    auto bad = good;
    bad.path = "data/y";
    bad.expected[0].value = digest_text(digest_algorithm::sha1, "y");
    EXPECT_EQ(writer->add(bad), ec::store_damaged);
    EXPECT_EQ(writer->finish().error(), ec::store_failed);
  }
  EXPECT_FALSE(std::filesystem::exists(to()));
}

TEST_F(writing, names_that_cannot_be_are_refused) {
  auto writer = bag_writer::open(to(), plan());
  ASSERT_TRUE(writer);
  for (const auto* path :
       {"../x", "/x", "data/../x", "bagit.txt", "bag-info.txt", "fetch.txt",
        "manifest-md5.txt", "tagmanifest-md5.txt", ""})
    EXPECT_EQ(writer->add(member(path, "x")), ec::invalid_argument) << path;
  EXPECT_FALSE(writer->add(member("data/x", "x")));
  EXPECT_EQ(writer->add(member("data/x", "x")), ec::already_exists);
  ASSERT_TRUE(writer->finish()); // none of that has spoiled it
  expect_valid(check(to()));
}

TEST_F(writing, nothing_is_overwritten_and_nothing_half_is_left) {
  std::ofstream{to()} << "other";
  EXPECT_EQ(bag_writer::open(to(), plan()).error(), ec::store_failed);
  EXPECT_EQ(std::filesystem::file_size(to()), 5u);
  std::filesystem::remove(to());
  { auto writer = bag_writer::open(to(), plan()); }
  EXPECT_FALSE(std::filesystem::exists(to()));
  auto bad = plan();
  bad.name = "a/b";
  EXPECT_EQ(bag_writer::open(to(), bad).error(), ec::invalid_argument);
  bad = plan();
  bad.digests.clear();
  EXPECT_EQ(bag_writer::open(to(), bad).error(), ec::invalid_argument);
  bad = plan();
  bad.info = {{"A:b", "x"}};
  EXPECT_EQ(bag_writer::open(to(), bad).error(), ec::invalid_argument);
}

} // namespace depositd::bagit

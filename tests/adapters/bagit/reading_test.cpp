#include "tests/adapters/bagit/bag_maker.hpp"

#include <map>

namespace depositd::bagit {

namespace {

class reading : public with_bags {};

struct collecting : bag_visitor {
  caf::error begin(const bag_file& x) override {
    EXPECT_TRUE(x.digests.empty());
    current.clear();
    return {};
  }

  caf::error bytes(std::string_view part) override {
    current += part;
    return {};
  }

  caf::error end(const bag_file& x) override {
    files[x.path] = x;
    texts[x.path] = current;
    return {};
  }

  std::string current;
  std::map<std::string, bag_file> files;
  std::map<std::string, std::string> texts;
};

} // namespace

TEST_F(reading, gives_each_file_with_what_is_known_of_it) {
  const made_bag bag;
  for (const auto& source : {folder(bag), tar(bag)}) {
    collecting seen;
    const auto totals = read_bag(
      {source, ""},
      {.digests = {digest_algorithm::md5, digest_algorithm::sha512}}, seen);
    ASSERT_TRUE(totals) << render(totals.error());
    EXPECT_EQ(totals->folder, "bag");
    EXPECT_EQ(totals->payload_files, 2u);
    EXPECT_EQ(totals->tag_files, 3u);
    ASSERT_EQ(seen.files.size(), 5u);
    for (const auto& x : bag.files) {
      EXPECT_EQ(seen.texts[x.path], x.bytes);
      const auto& file = seen.files[x.path];
      EXPECT_EQ(file.bytes, x.bytes.size());
      EXPECT_EQ(file.kind, kind_of_file(x.path));
      EXPECT_GT(file.modified_s, 0);
      EXPECT_EQ(
        file.digests,
        (std::vector<digest>{
          {digest_algorithm::md5, digest_text(digest_algorithm::md5, x.bytes)},
          {digest_algorithm::sha512,
           digest_text(digest_algorithm::sha512, x.bytes)}}));
    }
  }
}

TEST_F(reading, keeps_modes_and_times_of_archives) {
  collecting seen;
  ASSERT_TRUE(read_bag({tar(made_bag{}), ""}, {}, seen));
  EXPECT_EQ(seen.files["data/one.txt"].mode, 0640u);
  EXPECT_EQ(seen.files["data/one.txt"].modified_s, 1'234'567'890);
}

TEST_F(reading, ends_with_an_error_for_what_is_dangerous) {
  auto entries = entries_of(made_bag{});
  entries.push_back({"bag/../x", "x"});
  collecting seen;
  EXPECT_EQ(read_bag({pack(entries), ""}, {}, seen).error(), ec::malformed);
  EXPECT_EQ(read_bag({home.path() / "none.tar", ""}, {}, seen).error(),
            ec::not_found);
  read_options options;
  options.limits.bytes_max = 10;
  EXPECT_EQ(read_bag({tar(made_bag{}), ""}, options, seen).error(),
            ec::too_large);
}

TEST_F(reading, is_ended_by_a_visitors_error) {
  struct failing : bag_visitor {
    caf::error begin(const bag_file&) override {
      return caf::make_error(ec::store_failed, "no room");
    }
  } visitor;
  EXPECT_EQ(read_bag({tar(made_bag{}), ""}, {}, visitor).error(),
            ec::store_failed);
}

} // namespace depositd::bagit

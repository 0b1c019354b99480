// The client, and blobs, on a server that checks signatures and digests.

#include "adapters/stores/blobs/folder_blobs.hpp"
#include "adapters/stores/s3/s3_blobs.hpp"
#include "tests/contract/blob_store_suite.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/s3_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fstream>

namespace depositd {

namespace {

using s3::client;

class s3_blob_driver final : public blob_driver {
public:
  std::unique_ptr<blob_store> open() override {
    auto out = open_s3_blobs(shared_s3().options());
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }
};

std::vector<blob_candidate> s3_candidates() {
  if (!s3_installed())
    return {};
  return {{"s3", [] { return std::make_unique<s3_blob_driver>(); }}};
}

class s3_bucket : public ::testing::Test {
protected:
  void SetUp() override {
    if (!s3_installed())
      GTEST_SKIP() << "S3 CANNOT RUN HERE";
    options = shared_s3().options();
  }

  s3::client_options options;
  temporary_folder home;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(server, blob_store_suite,
                         ::testing::ValuesIn(s3_candidates()),
                         [](const auto& x) { return x.param.name; });

TEST_F(s3_bucket, takes_keys_with_any_characters) {
  client bucket{options};
  const std::string names[] = {"a b",          "a+b",   "a%20b",
                               "\u00e9\u4e2d", "a=b&c", "it's (1)*!",
                               "d/e;f,g",      "~x$@",  "<&\">"};
  for (const auto& name : names)
    EXPECT_FALSE(bucket.put("k/" + name, name)) << name;
  for (const auto& name : names) {
    const auto out = bucket.get("k/" + name, 100);
    ASSERT_TRUE(out) << name << ": " << render(out.error());
    EXPECT_EQ(*out, name);
    EXPECT_EQ(*bucket.size_of("k/" + name), name.size());
  }
  const auto all = bucket.list("k/", 100);
  ASSERT_TRUE(all) << render(all.error());
  EXPECT_EQ(all->size(), std::size(names));
  for (const auto& entry : *all)
    EXPECT_FALSE(bucket.remove(entry.key)) << entry.key;
  EXPECT_TRUE(bucket.list("k/", 100)->empty());
}

TEST_F(s3_bucket, takes_large_files_in_parts) {
  options.part_bytes = 5u << 20;
  client bucket{options};
  std::string bytes(11'000'000, 'x');
  bytes[6'000'000] = 'y';
  const auto from = home.path() / "from";
  const auto to = home.path() / "to";
  std::ofstream{from, std::ios::binary} << bytes;
  const auto failure = bucket.put_file("large", from, {});
  EXPECT_FALSE(failure) << render(failure);
  EXPECT_FALSE(bucket.get_file("large", to, {}));
  std::ifstream in{to, std::ios::binary};
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>{in}, {}}), bytes);
  EXPECT_EQ(*bucket.size_of("large"), bytes.size());
}

TEST_F(s3_bucket, lists_more_than_a_page) {
  client bucket{options};
  for (int i = 0; i < 12; ++i)
    ASSERT_FALSE(bucket.put("n/" + std::to_string(i), "x"));
  EXPECT_EQ(bucket.first("n/", 5)->size(), 5u);
  EXPECT_EQ(bucket.list("n/", 12)->size(), 12u);
  EXPECT_EQ(bucket.list("n/", 11).error(), ec::too_large);
}

TEST_F(s3_bucket, says_why_it_does_not_open) {
  auto other = options;
  other.place.secret_key = "wrong";
  EXPECT_NE(render(client{other}.check()).find("SignatureDoesNotMatch"),
            std::string::npos)
    << render(client{other}.check());
  other = options;
  other.place.access_key = "nobody";
  EXPECT_EQ(client{other}.check(), ec::store_failed);
  other = options;
  other.place.bucket = "not-there";
  EXPECT_NE(render(client{other}.check()).find("NoSuchBucket"),
            std::string::npos)
    << render(client{other}.check());
  other = options;
  other.place.endpoint = "http://127.0.0.1:9";
  other.tries = 2;
  EXPECT_EQ(client{other}.check(), ec::store_failed);
  EXPECT_EQ(render(client{other}.check()).find(other.place.secret_key),
            std::string::npos);
}

TEST_F(s3_bucket, survives_lines_that_are_cut_after_the_server_has_acted) {
  cutting_proxy proxy{shared_s3().number()};
  auto through = s3_options_of(
    "http://127.0.0.1:" + std::to_string(proxy.port()), options.place.prefix);
  client bucket{through};
  proxy.cut_at_answer(1);
  EXPECT_FALSE(bucket.put("a", "abc"));
  proxy.cut_at_answer(1);
  EXPECT_EQ(*bucket.get("a", 10), "abc");
  proxy.cut_at_answer(1);
  EXPECT_FALSE(bucket.remove("a"));
  EXPECT_EQ(bucket.get("a", 10).error(), ec::not_found);
  EXPECT_EQ(proxy.cuts(), 3);
}

TEST_F(s3_bucket, blobs_that_were_changed_are_damaged) {
  auto blobs = open_s3_blobs(options);
  ASSERT_TRUE(blobs) << render(blobs.error());
  const auto name = (*blobs)->put("abc");
  ASSERT_TRUE(name);
  client bucket{options};
  const auto key = name->substr(0, 2) + "/" + name->substr(2, 2) + "/" + *name;
  ASSERT_FALSE(bucket.put(key, "abd"));
  EXPECT_EQ((*blobs)->get(*name).error(), ec::store_damaged);
  EXPECT_EQ((*blobs)->backup(home.path() / "copy"), ec::store_damaged);
}

TEST_F(s3_bucket, blobs_that_have_rotted_are_mended_by_the_next_put) {
  auto blobs = open_s3_blobs(options);
  ASSERT_TRUE(blobs) << render(blobs.error());
  const std::string bytes(150'000, 'x');
  const auto name = *(*blobs)->put(bytes);
  const auto key = name.substr(0, 2) + "/" + name.substr(2, 2) + "/" + name;
  client bucket{options};
  for (const std::size_t at : {0, 70'000, 149'999}) {
    auto rotten = bytes;
    rotten[at] = 'y';
    ASSERT_FALSE(bucket.put(key, rotten));
    EXPECT_EQ(*(*blobs)->put(bytes), name);
    const auto kept = (*blobs)->get(name);
    ASSERT_TRUE(kept) << render(kept.error());
    EXPECT_EQ(*kept, bytes);
  }
}

TEST_F(s3_bucket, blobs_are_backed_up_as_a_folder_has_them) {
  auto blobs = open_s3_blobs(options);
  ASSERT_TRUE(blobs) << render(blobs.error());
  const auto first = (*blobs)->put("abc");
  const auto second = (*blobs)->put("");
  const auto failure = (*blobs)->backup(home.path() / "copy");
  ASSERT_FALSE(failure) << render(failure);
  auto copy = open_folder_blobs({.folder = home.path() / "copy"});
  ASSERT_TRUE(copy);
  EXPECT_EQ(*(*copy)->get(*first), "abc");
  EXPECT_EQ(*(*copy)->get(*second), "");
}

} // namespace depositd

#include "tests/contract/receiving_suite.hpp"

#include "adapters/stores/receiving/folder_receiving.hpp"
#include "adapters/stores/receiving/s3_receiving.hpp"
#include "tests/support/s3_server.hpp"
#include "tests/support/scripted_server.hpp"

namespace depositd {

namespace {

namespace fs = std::filesystem;

class folder_driver final : public receiving_driver {
public:
  std::unique_ptr<receiving_place> open() override {
    auto out = open_folder_receiving({.folder = folder_.path()});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  /// As if some time ago, each a minute after the one before.
  void put(const std::string& key, const std::string& bytes) override {
    const auto path = folder_.path() / key;
    std::ofstream{path, std::ios::binary} << bytes;
    fs::last_write_time(path, fs::file_time_type::clock::now()
                                - std::chrono::hours{48}
                                + std::chrono::minutes{++count_});
  }

private:
  temporary_folder folder_;
  int count_ = 0;
};

class s3_driver final : public receiving_driver {
public:
  std::unique_ptr<receiving_place> open() override {
    auto out = open_s3_receiving(options_);
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  void put(const std::string& key, const std::string& bytes) override {
    s3::client to{options_};
    const auto failed = to.put(key, bytes);
    EXPECT_FALSE(failed) << render(failed);
  }

private:
  s3::client_options options_ = shared_s3().options();
};

TEST(receiving_bucket, takes_no_more_of_a_bag_than_it_has) {
  using server = testing::scripted_server;
  const server endless{[](const std::string& request) {
    if (request.starts_with("HEAD"))
      return server::response("200 OK", "Content-Length: 3\r\n", "");
    if (request.find("list-type=2") != request.npos)
      return server::ok("<ListBucketResult><KeyCount>0</KeyCount>"
                        "</ListBucketResult>");
    return server::response("200 OK", "", std::string(2'000'000, 'x'));
  }};
  s3::client_options options;
  options.place = {.endpoint = endless.url(""),
                   .bucket = "bucket",
                   .path_style = true};
  auto place = open_s3_receiving(options);
  ASSERT_TRUE(place) << render(place.error());
  const temporary_folder home;
  const auto to = home.path() / "bag";
  const auto failed = (*place)->fetch("a.tar", to);
  EXPECT_EQ(failed, ec::store_failed);
  EXPECT_NE(render(failed).find("more than the 3 bytes"), std::string::npos)
    << render(failed);
  EXPECT_FALSE(fs::exists(to));
}

/// Another institution's bag, and a way there that looks as if what is removed
/// here were kept in its folder.
TEST(receiving_folder, lets_nobody_remove_the_bags_of_others) {
  temporary_folder ours;
  temporary_folder others;
  std::ofstream{others.path() / "photos.tar"} << "theirs";
  std::ofstream{ours.path() / "photos.tar"} << "abc";
  auto place = open_folder_receiving({.folder = ours.path()});
  ASSERT_TRUE(place) << render(place.error());
  fs::create_directory_symlink(others.path(), ours.path() / ".removed");
  const auto bag = (*place)->look("photos.tar");
  ASSERT_TRUE(bag) << render(bag.error());
  EXPECT_FALSE((*place)->remove("photos.tar", bag->etag));
  EXPECT_TRUE(fs::exists(others.path() / "photos.tar"));
  EXPECT_TRUE(fs::exists(ours.path() / "photos.tar"));
  EXPECT_TRUE(open_folder_receiving({.folder = ours.path()}));
  EXPECT_TRUE(fs::exists(others.path() / "photos.tar"));
}

} // namespace

INSTANTIATE_TEST_SUITE_P(
  all, receiving_suite,
  ::testing::Values(
    receiving_candidate{"folder",
                        [] { return std::make_unique<folder_driver>(); }},
    receiving_candidate{"s3",
                        []() -> std::unique_ptr<receiving_driver> {
                          if (!s3_installed())
                            return nullptr;
                          return std::make_unique<s3_driver>();
                        }}),
  [](const auto& x) { return x.param.name; });

} // namespace depositd

#pragma once

// What every blob store must do.

#include "messages/ports/blob_store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// Makes empty stores and keeps what they need, such as a folder.
class blob_driver {
public:
  virtual ~blob_driver() = default;

  virtual std::unique_ptr<blob_store> open() = 0;
};

struct blob_candidate {
  std::string name;
  std::function<std::unique_ptr<blob_driver>()> make;
};

class blob_store_suite : public ::testing::TestWithParam<blob_candidate> {
protected:
  void SetUp() override {
    driver = GetParam().make();
    store = driver->open();
    ASSERT_NE(store, nullptr);
  }

  std::string put(std::string_view bytes) {
    const auto name = store->put(bytes);
    EXPECT_TRUE(name) << render(name.error());
    return name ? *name : std::string{};
  }

  std::unique_ptr<blob_driver> driver;
  std::unique_ptr<blob_store> store;
};

TEST_P(blob_store_suite, names_bytes_by_their_digest) {
  EXPECT_EQ(put("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410"
                        "ff61f20015ad");
  EXPECT_EQ(put(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca49599"
                     "1b7852b855");
}

TEST_P(blob_store_suite, gives_back_what_was_put) {
  const std::string bytes{"\0binary\xff\n", 9};
  const auto large = std::string(3'000'000, 'l') + "end";
  const auto first = put(bytes);
  const auto second = put(large);
  const auto third = put("");
  EXPECT_EQ(*store->get(first), bytes);
  EXPECT_EQ(*store->get(second), large);
  EXPECT_EQ(*store->get(third), "");
}

TEST_P(blob_store_suite, stores_the_same_bytes_once) {
  const auto first = put("same");
  EXPECT_EQ(put("same"), first);
  EXPECT_EQ(*store->get(first), "same");
}

TEST_P(blob_store_suite, does_not_find_what_was_never_put) {
  EXPECT_EQ(store->get(std::string(64, 'a')).error(), ec::not_found);
  EXPECT_EQ(store->get("").error(), ec::not_found);
  EXPECT_EQ(store->get("../../../../etc/passwd").error(), ec::not_found);
  const auto name = put("abc");
  auto upper = name;
  upper[0] = 'B';
  EXPECT_EQ(store->get(upper).error(), ec::not_found);
}

TEST_P(blob_store_suite, takes_puts_from_many_threads) {
  std::vector<std::thread> threads;
  for (auto t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      for (auto i = 0; i < 20; ++i)
        EXPECT_TRUE(store->put("blob " + std::to_string(i)));
    });
  for (auto& x : threads)
    x.join();
  for (auto i = 0; i < 20; ++i) {
    const auto bytes = "blob " + std::to_string(i);
    EXPECT_EQ(*store->get(put(bytes)), bytes);
  }
}

} // namespace depositd

#include "adapters/node/store_server.hpp"

#include "adapters/stores/memory/memory_blob_store.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/memory_tables.hpp"

namespace depositd::node {
namespace {

/// Counts what is read.
class watched_blobs final : public blob_store {
public:
  caf::expected<std::string> put(std::string_view bytes) override {
    return blobs_->put(bytes);
  }

  caf::expected<std::string> get(const std::string& sha256) override {
    ++reads;
    return blobs_->get(sha256);
  }

  caf::error backup(const std::filesystem::path& folder) override {
    return blobs_->backup(folder);
  }

  int reads = 0;

private:
  std::unique_ptr<blob_store> blobs_ = make_memory_blobs();
};

class store_server_test : public testing::actor_fixture {
protected:
  std::string put(const std::string& bytes) {
    const auto kept = ask<blob_put>(server, put_blob{bytes});
    EXPECT_TRUE(kept);
    return kept ? kept->sha256 : std::string{};
  }

  caf::expected<blob_piece> piece(const std::string& name,
                                  std::uint64_t offset) {
    return ask<blob_piece>(server, read_blob{name, offset});
  }

  std::shared_ptr<watched_blobs> blobs = std::make_shared<watched_blobs>();
  store_server_actor server =
    spawn(store_server, served_stores{blobs, make_memory_registry(),
                                      std::make_shared<blob_pieces>(blobs)});
};

TEST_F(store_server_test, bounds_what_one_message_asks_for) {
  EXPECT_EQ(ask<dois_found>(server, find_dois{{}, 10'001}).error(),
            ec::too_large);
  EXPECT_EQ(ask<blob_put>(
              server, put_blob{std::string(store_message_bytes_max + 1, 'x')})
              .error(),
            ec::too_large);
}

TEST_F(store_server_test, serves_no_stages_without_their_stores) {
  EXPECT_EQ(ask<objects_found>(server, find_objects{}).error(), ec::draining);
  EXPECT_EQ(ask<identifier_minted>(server, mint_identifier{}).error(),
            ec::draining);
}

TEST_F(store_server_test, gives_a_blob_in_pieces) {
  const std::string bytes(blob_piece_bytes + 3, 'b');
  const auto name = put(bytes);
  EXPECT_EQ(piece(name, 0)->bytes.size(), blob_piece_bytes);
  EXPECT_EQ(piece(name, 0)->bytes_total, bytes.size());
  EXPECT_EQ(piece(name, blob_piece_bytes)->bytes, "bbb");
  const auto beyond = piece(name, bytes.size() + 1);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error(), ec::invalid_argument);
}

TEST_F(store_server_test, reads_a_blob_once_for_all_its_pieces) {
  const auto one = put(std::string(2 * blob_piece_bytes + 3, 'b'));
  const auto other = put(std::string(blob_piece_bytes + 3, 'c'));
  for (std::uint64_t at : {0, 1}) {
    ASSERT_TRUE(piece(one, at * blob_piece_bytes));
    ASSERT_TRUE(piece(other, at * blob_piece_bytes));
  }
  ASSERT_TRUE(piece(one, 2 * blob_piece_bytes));
  EXPECT_EQ(blobs->reads, 2);
  ASSERT_TRUE(piece(one, 0));
  EXPECT_EQ(blobs->reads, 3) << "the last piece was the end of it";
}

TEST_F(store_server_test, keeps_few_blobs_that_nobody_reads_on) {
  std::vector<std::string> names;
  for (char x : {'a', 'b', 'c', 'd', 'e'}) {
    names.push_back(put(std::string(blob_piece_bytes + 1, x)));
    ASSERT_TRUE(piece(names.back(), 0));
  }
  EXPECT_EQ(blobs->reads, 5);
  for (const auto& name : names)
    ASSERT_TRUE(piece(name, blob_piece_bytes));
  EXPECT_EQ(blobs->reads, 6) << "the first of them was forgotten";
}

} // namespace
} // namespace depositd::node

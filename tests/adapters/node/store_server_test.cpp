#include "adapters/node/store_server.hpp"

#include "adapters/node/store_wire.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/memory/memory_doi_registry.hpp"

#include <gtest/gtest.h>

namespace depositd::node {
namespace {

effects_desk a_desk() {
  return {make_memory_blobs(), make_memory_registry()};
}

TEST(effects_desk, knows_no_other_calls) {
  const auto answer = a_desk().perform("blobs.backup", "");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), ec::not_found);
}

TEST(effects_desk, refuses_bytes_that_are_no_arguments) {
  auto desk = a_desk();
  const auto whole = to_bytes(doi_registration{1, "ann", "5", {{}, {}}});
  for (const auto what : {effect::put_blob, effect::get_blob,
                          effect::list_blobs, effect::remove_blobs,
                          effect::record_dois, effect::find_dois})
    for (const auto& bytes :
         {std::string{}, std::string(40, '\xff'), whole + "more"}) {
      const auto answer = desk.perform(what, bytes);
      ASSERT_FALSE(answer) << what;
      EXPECT_EQ(answer.error(), ec::malformed) << what;
    }
}

TEST(effects_desk, refuses_every_cut_of_an_argument) {
  auto desk = a_desk();
  const auto whole = to_bytes(doi_registration{1, "ann", "5", {{}, {}}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(desk.perform(effect::record_dois, whole.substr(0, size)));
  EXPECT_TRUE(desk.perform(effect::record_dois, whole));
}

TEST(effects_desk, bounds_what_one_call_asks_for) {
  auto desk = a_desk();
  EXPECT_EQ(
    desk.perform(effect::find_dois, to_bytes(dois_wanted{{}, 10'001})).error(),
    ec::too_large);
  EXPECT_EQ(desk
              .perform(effect::put_blob,
                       std::string(effect_bytes_max + 1, 'x'))
              .error(),
            ec::too_large);
}

TEST(effects_desk, gives_a_blob_in_pieces) {
  auto desk = a_desk();
  const std::string bytes(blob_piece_bytes + 3, 'b');
  const auto name
    = from_bytes<std::string>(*desk.perform(effect::put_blob, to_bytes(bytes)));
  ASSERT_TRUE(name);
  const auto piece = [&](std::uint64_t offset) {
    return from_bytes<blob_piece>(*desk.perform(
      effect::get_blob, to_bytes(blob_piece_wanted{*name, offset})));
  };
  EXPECT_EQ(piece(0)->bytes.size(), blob_piece_bytes);
  EXPECT_EQ(piece(0)->bytes_total, bytes.size());
  EXPECT_EQ(piece(blob_piece_bytes)->bytes, "bbb");
  const auto beyond = desk.perform(
    effect::get_blob, to_bytes(blob_piece_wanted{*name, bytes.size() + 1}));
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error(), ec::invalid_argument);
}

} // namespace
} // namespace depositd::node

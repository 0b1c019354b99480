#include "actors/operators/submitter.hpp"

#include "messages/operators.hpp"
#include "messages/shard.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/operations.hpp"

#include "tests/support/actor_fixture.hpp"

#include <map>
#include <memory>
#include <optional>

namespace depositd::testing {
namespace {

class blobs_in_memory : public blob_store {
public:
  caf::expected<std::string> put(std::string_view bytes) override {
    if (failing)
      return caf::make_error(ec::store_failed, std::string{"disk full"});
    kept["sha"] = std::string{bytes};
    return std::string{"sha"};
  }

  caf::expected<std::string> get(const std::string& name) override {
    const auto at = kept.find(name);
    if (at == kept.end())
      return caf::make_error(ec::not_found);
    return at->second;
  }

  caf::error backup(const std::filesystem::path&) override {
    return {};
  }

  bool failing = false;
  std::map<std::string, std::string> kept;
};

class submitter_test : public actor_fixture {
protected:
  submitter_test() {
    auto shard = spawn([this](caf::event_based_actor*) {
      return caf::behavior{[this](const submit& x) {
        submitted_ = x;
        return enqueued{{5}, 0};
      }};
    });
    operators::submitter_options options;
    options.blobs = store_;
    options.shard = caf::actor_cast<shard_actor>(
      caf::actor_cast<caf::strong_actor_ptr>(shard));
    options.file_bytes_max = 8;
    submitter_ = spawn(operators::submitter, options);
  }

  caf::expected<enqueued> send(submit_file x) {
    return ask<enqueued>(submitter_, std::move(x));
  }

  static submit_file a_file(const std::string& bytes) {
    return {"ann", "a b.xml", "doMDUpload", encode_base64(bytes)};
  }

  std::shared_ptr<blobs_in_memory> store_ =
    std::make_shared<blobs_in_memory>();
  blobs_in_memory& blobs_ = *store_;
  std::optional<submit> submitted_;
  submitter_actor submitter_;
};

TEST_F(submitter_test, keeps_its_store_when_nobody_else_does) {
  const std::weak_ptr<blobs_in_memory> seen = store_;
  store_.reset(); // as an engine that ends while a file is stored
  ASSERT_FALSE(seen.expired());
  EXPECT_TRUE(send(a_file("<a>")));
}

TEST_F(submitter_test, keeps_the_bytes_and_submits_their_particulars) {
  const auto answer = send(a_file({"<a>\0\xff", 5}));
  ASSERT_TRUE(answer) << render(answer.error());
  EXPECT_EQ(answer->ids, std::vector<item_id>{5});
  EXPECT_EQ(blobs_.kept["sha"], std::string("<a>\0\xff", 5));
  ASSERT_TRUE(submitted_);
  EXPECT_EQ(submitted_->queue, "metadata");
  EXPECT_EQ(submitted_->user, "ann");
  EXPECT_EQ(submitted_->submission,
            (submission{"a b.xml", "doMDUpload", "ann", "shell", "sha", 5}));
}

TEST_F(submitter_test, the_operation_decides_the_queue) {
  for (const auto& known : operations) {
    auto file = a_file("q");
    file.operation = known.word;
    ASSERT_TRUE(send(file)) << known.word;
    EXPECT_EQ(submitted_->queue, known.queue);
    EXPECT_EQ(submitted_->submission.operation, known.word);
  }
}

TEST_F(submitter_test, wrong_files_are_refused_before_anything_is_kept) {
  auto unknown = a_file("x");
  unknown.operation = "doMagic";
  EXPECT_EQ(send(unknown).error(), ec::invalid_argument);
  auto path = a_file("x");
  path.user = "../ann";
  EXPECT_EQ(send(path).error(), ec::invalid_argument);
  auto nameless = a_file("x");
  nameless.file_name.clear();
  EXPECT_EQ(send(nameless).error(), ec::invalid_argument);
  EXPECT_EQ(send(a_file("123456789012")).error(), ec::too_large);
  EXPECT_EQ(send(a_file("")).error(), ec::malformed);
  auto broken = a_file("x");
  broken.content_base64 = "eA=";
  EXPECT_EQ(send(broken).error(), ec::malformed);
  EXPECT_TRUE(blobs_.kept.empty());
  EXPECT_FALSE(submitted_);
}

TEST_F(submitter_test, a_blob_that_cannot_be_kept_is_not_submitted) {
  blobs_.failing = true;
  EXPECT_EQ(send(a_file("x")).error(), ec::store_failed);
  EXPECT_FALSE(submitted_);
}

TEST_F(submitter_test, what_is_kept_is_submitted_again_as_it_was) {
  blobs_.kept["sha"] = "<a/>";
  const submission was{"a.xml", "doQueryUpload", "ann/role", "http", "sha", 4};
  ASSERT_TRUE(ask<enqueued>(submitter_, submit_again{"query", "ann", was}));
  ASSERT_TRUE(submitted_);
  EXPECT_EQ(submitted_->queue, "query");
  EXPECT_EQ(submitted_->user, "ann");
  EXPECT_EQ(submitted_->submission, was);
}

TEST_F(submitter_test, what_the_tables_keep_goes_along_again) {
  const submission was{"a.xml", "doMDUpload", "ann", "http", "", 4};
  ASSERT_TRUE(
    ask<enqueued>(submitter_, submit_again{"metadata", "ann", was, "<a/>"}));
  ASSERT_TRUE(submitted_);
  EXPECT_EQ(submitted_->submission, was);
  EXPECT_EQ(submitted_->body, "<a/>");
  EXPECT_TRUE(blobs_.kept.empty());
}

TEST_F(submitter_test, what_is_not_kept_is_not_submitted_again) {
  for (const auto* blob : {"", "gone"}) {
    const submission was{"a.xml", "doMDUpload", "ann", "kafka", blob, 4};
    const auto answer =
      ask<enqueued>(submitter_, submit_again{"metadata", "ann", was});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), ec::not_found);
    EXPECT_NE(render(answer.error()).find("not kept"), std::string::npos);
  }
  EXPECT_FALSE(submitted_);
}

TEST(base64, survives_both_ways_and_refuses_the_rest) {
  for (std::size_t length = 0; length < 7; ++length) {
    const std::string bytes(length, '\xfb');
    const auto back = decode_base64(encode_base64(bytes));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, bytes);
  }
  EXPECT_EQ(encode_base64("secret!"), "c2VjcmV0IQ==");
  for (const auto text : {"A", "AA", "AAA", "AA=A", "====", "A===", "AB==",
                          "AAB=", "AA A", "A_A=", "AA==AA=="})
    EXPECT_FALSE(decode_base64(text)) << text;
}

} // namespace
} // namespace depositd::testing

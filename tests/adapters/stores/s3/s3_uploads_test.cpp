// Large files, in parts, and what may come between.

#include "tests/adapters/stores/s3/scripted_bucket.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

namespace depositd::s3 {

class s3_uploads : public ::testing::Test {
protected:
  /// Answers every request of an upload but as `say` wants it.
  std::string usual(const std::string& request) {
    const auto line = line_of(request);
    if (line.starts_with("POST") && line.ends_with("?uploads="))
      return answer_of("200 OK", "<InitiateMultipartUploadResult><UploadId>"
                                 "u/1</UploadId>"
                                 "</InitiateMultipartUploadResult>");
    if (line.starts_with("PUT"))
      return answer_of("200 OK", "", "ETag: \"e\"\r\n");
    if (line.starts_with("DELETE"))
      return answer_of("204 No Content", "");
    return answer_of("200 OK", "<CompleteMultipartUploadResult/>");
  }

  caf::error upload(const scripted_server& server) {
    std::ofstream{file_, std::ios::binary} << "aaaabbbbcc";
    auto options = options_for(server);
    options.part_bytes = 4;
    options.tries = 2;
    client bucket{options};
    return bucket.put_file("k", file_, [&](std::string_view x) { seen_ += x; });
  }

  static std::vector<std::string> lines_of(const scripted_server& server) {
    std::vector<std::string> out;
    for (const auto& x : server.requests())
      out.push_back(line_of(x));
    return out;
  }

  temporary_folder home_;
  std::filesystem::path file_ = home_.path() / "file";
  std::string seen_;
};

TEST_F(s3_uploads, go_in_parts_in_order) {
  scripted_server server{[&](const std::string& x) { return usual(x); }};
  const auto failure = upload(server);
  EXPECT_FALSE(failure) << render(failure);
  EXPECT_EQ(seen_, "aaaabbbbcc");
  EXPECT_EQ(
    lines_of(server),
    (std::vector<std::string>{
      "POST /bucket/k?uploads=", "PUT /bucket/k?partNumber=1&uploadId=u%2F1",
      "PUT /bucket/k?partNumber=2&uploadId=u%2F1",
      "PUT /bucket/k?partNumber=3&uploadId=u%2F1",
      "POST /bucket/k?uploadId=u%2F1"}));
  EXPECT_TRUE(server.requests().at(2).ends_with("bbbb"));
  EXPECT_TRUE(server.requests().at(3).ends_with("cc"));
}

TEST_F(s3_uploads, are_taken_back_when_they_fail) {
  scripted_server server{[&](const std::string& x) {
    return line_of(x).find("partNumber=2") == std::string::npos
             ? usual(x)
             : answer_of("403 Forbidden", error_document("AccessDenied"));
  }};
  EXPECT_EQ(upload(server), ec::store_failed);
  EXPECT_EQ(lines_of(server).back(), "DELETE /bucket/k?uploadId=u%2F1");
}

TEST_F(s3_uploads, are_not_done_because_the_head_says_200) {
  scripted_server server{[&](const std::string& x) {
    return line_of(x) == "POST /bucket/k?uploadId=u%2F1"
             ? answer_of("200 OK", error_document("InternalError"))
             : usual(x);
  }};
  EXPECT_EQ(upload(server), ec::store_failed);
  EXPECT_EQ(lines_of(server).back(), "DELETE /bucket/k?uploadId=u%2F1");
}

TEST_F(s3_uploads, are_done_if_only_the_answer_was_lost) {
  std::string mark;
  bool lost = false;
  scripted_server server{[&](const std::string& x) {
    const auto line = line_of(x);
    if (line.ends_with("?uploads="))
      mark = scripted_server::header(x, std::string{mark_header});
    if (line.starts_with("HEAD"))
      return answer_of("200 OK", "",
                       std::string{mark_header} + ": " + mark + "\r\n");
    if (line != "POST /bucket/k?uploadId=u%2F1")
      return usual(x);
    if (lost)
      return answer_of("404 Not Found", error_document("NoSuchUpload"));
    lost = true;
    return std::string{};
  }};
  const auto failure = upload(server);
  EXPECT_FALSE(failure) << render(failure);
  EXPECT_FALSE(mark.empty());
}

TEST_F(s3_uploads, are_not_done_if_another_file_is_there) {
  scripted_server server{[&](const std::string& x) {
    const auto line = line_of(x);
    if (line.starts_with("HEAD"))
      return answer_of("200 OK", "",
                       std::string{mark_header} + ": another\r\n");
    return line == "POST /bucket/k?uploadId=u%2F1"
             ? answer_of("404 Not Found", error_document("NoSuchUpload"))
             : usual(x);
  }};
  EXPECT_EQ(upload(server), ec::store_failed);
}

TEST_F(s3_uploads, end_when_the_file_is_cut_meanwhile) {
  std::atomic<bool> cut = false;
  scripted_server server{[&](const std::string& x) {
    if (!cut.exchange(true))
      std::filesystem::resize_file(file_, 5);
    return usual(x);
  }};
  const auto failure = upload(server);
  EXPECT_EQ(failure, ec::store_failed);
  EXPECT_EQ(render(failure), file_.string() + " was cut while it was read");
}

TEST_F(s3_uploads, of_a_file_that_is_missing_ask_nothing) {
  scripted_server server{[&](const std::string& x) { return usual(x); }};
  client bucket{options_for(server)};
  EXPECT_TRUE(bucket.put_file("k", home_.path() / "none", {}));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(s3_uploads, tell_of_a_bucket_that_is_full) {
  using put = std::pair<std::uint64_t, bool>; // bytes, and whether refused
  std::string full;
  scripted_server server{[&](const std::string& x) {
    return line_of(x).starts_with("PUT") && !full.empty()
             ? answer_of(full.substr(0, 3) + " No",
                         error_document(full.substr(4)))
             : usual(x);
  }};
  std::ofstream{file_, std::ios::binary} << "aaaabbbbcc";
  for (const std::uint64_t part_bytes : {4, 100}) {
    auto options = options_for(server);
    options.part_bytes = part_bytes;
    std::vector<put> told;
    options.put_ended = [&](std::uint64_t bytes, const caf::error& why) {
      told.emplace_back(bytes, static_cast<bool>(why));
    };
    client bucket{options};
    for (const auto* each :
         {"403 QuotaExceeded", "400 XMinioAdminBucketQuotaExceeded",
          "507 XMinioStorageFull", "507 ", "403 XRustfsQuotaExceeded"}) {
      full = each;
      told.clear();
      EXPECT_EQ(bucket.put_file("k", file_, {}), ec::store_failed);
      EXPECT_EQ(bucket.put("k", "abc"), ec::store_failed);
      EXPECT_EQ(told, (std::vector<put>{{10, true}, {3, true}})) << each;
    }
    full = "403 AccessDenied";
    told.clear();
    EXPECT_TRUE(bucket.put_file("k", file_, {}));
    EXPECT_TRUE(bucket.put("k", "abc"));
    EXPECT_TRUE(told.empty()) << "another trouble";
    full.clear();
    EXPECT_FALSE(bucket.put_file("k", file_, {}));
    EXPECT_FALSE(bucket.put("k", "abc"));
    EXPECT_EQ(told, (std::vector<put>{{10, false}, {3, false}}));
  }
}

TEST(s3_parts, are_never_more_than_there_may_be) {
  constexpr std::uint64_t mib = 1u << 20;
  const auto wanted = 16 * mib;
  for (const std::uint64_t size : std::initializer_list<std::uint64_t>{
         1, wanted * parts_max, wanted * parts_max + 1, 6ull << 30,
         200ull << 30, object_bytes_max}) {
    const auto bytes = part_bytes_for(size, wanted);
    EXPECT_LE((size + bytes - 1) / bytes, parts_max) << size;
    EXPECT_GE(bytes, wanted);
    EXPECT_LT(bytes, 5ull << 30) << "of a part";
  }
  EXPECT_EQ(part_bytes_for(6ull << 30, wanted), wanted);
  EXPECT_EQ(part_bytes_for(wanted * parts_max + 1, wanted), 17 * mib);
}

} // namespace depositd::s3

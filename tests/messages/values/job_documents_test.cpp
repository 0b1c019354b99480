#include "messages/values/job_documents.hpp"

#include <gtest/gtest.h>

namespace depositd {

TEST(job_documents, keep_payloads_with_their_digests) {
  job_document job;
  job.payload = {.file_name = "a.txt",
                 .blob = {},
                 .url = "http://example.org/a",
                 .bytes = 7,
                 .expected = *make_digest("SHA-256", std::string(64, 'A'))};
  const auto read = decode_job_document(encode(job));
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(read->payload.file_name, "a.txt");
  EXPECT_EQ(read->payload.url, "http://example.org/a");
  EXPECT_EQ(read->payload.bytes, 7u);
  EXPECT_EQ(read->payload.expected, job.payload.expected);
}

TEST(job_documents, are_refused_if_a_digest_cannot_be_read) {
  const auto with = [](const std::string& algorithm) {
    return decode_job_document(
      R"({"job":"jid-1","payload":{"digest":{"algorithm":")" + algorithm
      + R"(","value":"900150983cd24fb0d6963f7d28e17f72"}}})");
  };
  EXPECT_TRUE(with("md5"));
  EXPECT_EQ(with("md55").error(), ec::malformed);
  EXPECT_EQ(with("").error(), ec::malformed);
}

} // namespace depositd

#include "adapters/stores/s3/documents.hpp"
#include "adapters/stores/s3/place.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd::s3 {

TEST(s3_place, spells_keys_as_signatures_want_them) {
  EXPECT_EQ(encoded("a b/c+d%e~\u00e9", true), "a%20b/c%2Bd%25e~%C3%A9");
  EXPECT_EQ(encoded("a/b=&", false), "a%2Fb%3D%26");
  EXPECT_EQ(decoded(encoded("a b/c+d%e\u00e9", false)), "a b/c+d%e\u00e9");
  EXPECT_EQ(decoded("a+b%2Bc%"), "a b+c%");
}

TEST(s3_place, puts_the_bucket_into_the_path_or_into_the_host) {
  s3_place place{.endpoint = "https://s3.example:8443", .bucket = "bucket"};
  EXPECT_EQ(url_of(place, "a b", ""), "https://bucket.s3.example:8443/a%20b");
  EXPECT_EQ(url_of(place, "", "list-type=2"),
            "https://bucket.s3.example:8443/?list-type=2");
  place.path_style = true;
  EXPECT_EQ(url_of(place, "../a", ""), "https://s3.example:8443/bucket/../a");
  EXPECT_EQ(url_of(place, "", "x="), "https://s3.example:8443/bucket?x=");
}

TEST(s3_place, refuses_what_is_no_endpoint_bucket_prefix_or_region) {
  EXPECT_EQ(endpoint_fault("https://s3.example"), "");
  EXPECT_EQ(endpoint_fault("http://[::1]:9000"), "");
  for (const auto* x : {"", "s3.example", "ftp://x", "http://", "http://a/b",
                        "http://u:p@a", "http://a?b", "http://a b"})
    EXPECT_NE(endpoint_fault(x), "") << x;
  EXPECT_EQ(bucket_fault("my-bucket.1"), "");
  for (const auto* x : {"", "ab", "Upper", "a/b", "a..b", "-ab", "ab."})
    EXPECT_NE(bucket_fault(x), "") << x;
  EXPECT_EQ(prefix_fault(""), "");
  EXPECT_EQ(prefix_fault("a/b c"), "");
  for (const auto* x : {"/a", "a/", "../a", "a//b"})
    EXPECT_NE(prefix_fault(x), "") << x;
  EXPECT_EQ(region_fault("eu-central-1"), "");
  EXPECT_EQ(region_fault(std::string(64, 'a')), "");
  EXPECT_NE(region_fault(std::string(65, 'a')), "");
  for (const auto* x : {"", "a:b", "a b"})
    EXPECT_NE(region_fault(x), "") << x;
}

TEST(s3_documents, are_read_whether_or_not_keys_are_encoded) {
  const auto coded = read_listing(
    "<ListBucketResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>"
    "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
    "<NextContinuationToken>t/+=</NextContinuationToken>"
    "<Contents><Key>a%20b%2Bc</Key><Size>5</Size></Contents>"
    "</ListBucketResult>");
  ASSERT_TRUE(coded) << render(coded.error());
  EXPECT_EQ(coded->entries.at(0).key, "a b+c");
  EXPECT_EQ(coded->entries.at(0).bytes, 5u);
  EXPECT_EQ(coded->next, "t/+=");
  const auto plain = read_listing(
    "<ListBucketResult><Contents><Key>a%20&amp;+</Key><Size>0</Size>"
    "</Contents></ListBucketResult>");
  ASSERT_TRUE(plain) << render(plain.error());
  EXPECT_EQ(plain->entries.at(0).key, "a%20&+");
  EXPECT_EQ(plain->next, "");
}

TEST(s3_documents, that_are_none_are_refused) {
  for (const auto* x :
       {"", "x", "<a/>", "<ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key></Contents>"
        "</ListBucketResult>",
        "<!DOCTYPE x [<!ENTITY e 'a'>]><ListBucketResult/>"})
    EXPECT_EQ(read_listing(x).error(), ec::store_failed) << x;
  EXPECT_EQ(read_upload_id("<Error/>").error(), ec::store_failed);
  EXPECT_EQ(read_refusal("no document").code, "");
}

TEST(s3_documents, in_another_encoding_are_none_and_nobody_talks_of_them) {
  using namespace std::string_literals;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(read_listing("\0<\0?\0x\0m\0l\0 \0v\0e\0r"s));
  EXPECT_FALSE(read_listing("<\0?\0x\0m\0l\0 \0v\0e\0r\0"s));
  EXPECT_FALSE(read_listing("<ListBucketResult>\xff</ListBucketResult>"));
  EXPECT_FALSE(read_listing("<ListBucketResult/>\0"s));
  EXPECT_TRUE(read_listing("<?xml version=\"1.0\" encoding=\"UTF-16\"?>"
                           "<ListBucketResult/>"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(s3_documents, of_refusals_are_printable_and_short) {
  const auto why =
    read_refusal("<Error><Code>A\nB</Code><Message>" + std::string(5'000, 'x')
                 + "</Message></Error>");
  EXPECT_EQ(why.code, "A B");
  EXPECT_EQ(why.message.size(), 300u);
}

TEST(s3_documents, complete_an_upload_with_tags_in_order) {
  EXPECT_EQ(write_completion({"\"a\"", "b<&"}),
            "<CompleteMultipartUpload>"
            "<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part>"
            "<Part><PartNumber>2</PartNumber><ETag>b&lt;&amp;</ETag></Part>"
            "</CompleteMultipartUpload>");
}

} // namespace depositd::s3

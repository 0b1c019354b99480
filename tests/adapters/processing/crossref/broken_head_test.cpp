#include "adapters/processing/crossref/broken_head.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace {

using namespace depositd::crossref;

/// "batch id, address"
std::string found(std::string_view document) {
  std::string batch_id;
  std::string email;
  find_head(document, batch_id, email);
  return batch_id + ", " + email;
}

TEST(broken_head, is_found_in_deposits_and_queries) {
  EXPECT_EQ(found("<doi_batch><head><doi_batch_id> a\n b </doi_batch_id>"
                  "<depositor><email_address>x@y.z</email_address></depositor>"
                  "</head><body>"),
            "a b, x@y.z");
  EXPECT_EQ(found("<query_batch><head><email_address>x@y.z</email_address>"
                  "<doi_batch_id>q</doi_batch_id></head><body>"),
            "q, x@y.z");
  EXPECT_EQ(found("<doi_batch><head><email_address>of@the.head"
                  "</email_address><depositor><email_address>x@y.z"
                  "</email_address></depositor></head>"),
            ", x@y.z");
}

TEST(broken_head, may_be_of_any_namespace) {
  EXPECT_EQ(found("<c:doi_batch xmlns:c=\"urn:c\"><c:head id='1'>"
                  "<c:doi_batch_id>a</c:doi_batch_id></c:head>"),
            "a, ");
}

TEST(broken_head, is_read_as_xml) {
  EXPECT_EQ(found("<b><head><doi_batch_id>a&amp;<![CDATA[<b>]]>&#233;"
                  "</doi_batch_id></head></b>"),
            "a&<b>\xc3\xa9, ");
  EXPECT_EQ(found("<!-- <head><doi_batch_id>old</doi_batch_id></head> -->"
                  "<b><head><!-- <doi_batch_id>older</doi_batch_id> -->"
                  "<doi_batch_id>a</doi_batch_id></head></b>"),
            "a, ");
}

TEST(broken_head, is_said_as_far_as_it_goes) {
  EXPECT_EQ(found("<b><head><doi_batch_id>a</doi_batch_id><depo"), "a, ");
  EXPECT_EQ(found("<b><head><doi_batch_id>a</doi_batch_id><x>\xe9</x>"
                  "<email_address>x@y.z</email_address></head>"),
            "a, ");
  EXPECT_EQ(found("<b><head><doi_batch_id>a\xe9</doi_batch_id></head>"), ", ");
}

TEST(broken_head, is_the_first_and_ends) {
  EXPECT_EQ(found("<b><head></head><head><doi_batch_id>a</doi_batch_id>"),
            ", ");
  EXPECT_EQ(found("<b><head></head><body><doi_batch_id>a</doi_batch_id>"),
            ", ");
  EXPECT_EQ(found("<b><head><x><doi_batch_id>a</doi_batch_id></x></head>"),
            ", ");
}

TEST(broken_head, declares_nothing) {
  EXPECT_EQ(found("<!DOCTYPE b [<!ENTITY e \"x\">]><b><head>"
                  "<doi_batch_id>&e;</doi_batch_id></head></b>"),
            ", ");
}

TEST(broken_head, is_looked_for_once) {
  const std::string many(64 * 1024, '<');
  const auto begin = std::clock();
  EXPECT_EQ(found(many), ", ");
  // Of this process: what others do does not count. Each for all that follows
  // would be seconds.
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 2);
}

TEST(broken_head, leaves_what_is_known) {
  std::string batch_id = "a";
  std::string email;
  find_head("<b><head><doi_batch_id>b</doi_batch_id>"
            "<email_address>x@y.z</email_address></head></b>",
            batch_id, email);
  EXPECT_EQ(batch_id + ", " + email, "a, x@y.z");
}

TEST(broken_head, need_not_be_there) {
  for (const auto* document :
       {"", "<", "<head", "<head/>", "<:head><doi_batch_id>a</doi_batch_id>",
        "<!-- <head><doi_batch_id>a</doi_batch_id>", "\xff\xfe<", "plain",
        "<a\"b:head><doi_batch_id>a</doi_batch_id>", "<headline>",
        "H: email=a@b.org"})
    EXPECT_EQ(found(document), ", ") << document;
  EXPECT_EQ(found(std::string(70'000, ' ')
                  + "<head><doi_batch_id>a</doi_batch_id></head>"),
            ", ");
}

} // namespace

// Lists, and answers that have no end.

#include "tests/adapters/stores/s3/scripted_bucket.hpp"

#include <gtest/gtest.h>

namespace depositd::s3 {

namespace {

/// Of a list, with one key; `next`: what the one behind it is asked for by,
/// empty: there is none.
std::string page(const std::string& key, const std::string& next) {
  return answer_of("200 OK",
                   "<ListBucketResult><IsTruncated>"
                     + std::string{next.empty() ? "false" : "true"}
                     + "</IsTruncated><NextContinuationToken>" + next
                     + "</NextContinuationToken><Contents><Key>" + key
                     + "</Key><Size>1</Size></Contents></ListBucketResult>");
}

} // namespace

TEST(s3_lists, are_followed_to_their_end_and_not_for_ever) {
  int count = 0;
  scripted_server server{[&](const std::string&) {
    ++count;
    return count == 1   ? page("p/a", "t+1")
           : count == 2 ? page("p/b", "")
                        : page("p/c", "same");
  }};
  auto options = options_for(server);
  options.place.prefix = "p";
  client bucket{options};
  const auto out = bucket.list("", 10);
  ASSERT_TRUE(out) << render(out.error());
  ASSERT_EQ(out->size(), 2u);
  EXPECT_EQ(out->at(1).key, "b");
  EXPECT_EQ(line_of(server.requests().at(1)),
            "GET /bucket?continuation-token=t%2B1&encoding-type=url&"
            "list-type=2&prefix=p%2F");
  EXPECT_EQ(bucket.list("", 10).error(), ec::store_failed) << "no end";
}

TEST(s3_lists, that_go_round_are_ended) {
  int count = 0; // two pages, each of which names the other
  scripted_server server{[&](const std::string&) {
    const std::string here = count++ % 2 == 0 ? "a" : "b";
    return page(here, "after-" + here);
  }};
  client bucket{options_for(server)};
  int taken = 0;
  const auto failure = bucket.each("", [&](const listed&) -> caf::error {
    return ++taken < 10'000 ? caf::error{} : caf::make_error(ec::overloaded);
  });
  EXPECT_EQ(failure, ec::store_failed) << render(failure);
  EXPECT_NE(render(failure).find("has no end"), std::string::npos)
    << render(failure);
}

TEST(s3_lists, that_begin_again_and_again_by_ever_new_tokens_are_ended) {
  int count = 0;
  scripted_server server{[&](const std::string&) {
    return page("a", "t" + std::to_string(++count));
  }};
  client bucket{options_for(server)};
  const auto failure =
    bucket.each("", [](const listed&) { return caf::error{}; });
  EXPECT_EQ(failure, ec::store_failed);
  EXPECT_NE(render(failure).find("has no end"), std::string::npos)
    << render(failure);
}

TEST(s3_client, ends_an_answer_whose_headers_have_no_end) {
  std::string trailers;
  while (trailers.size() < 2'000'000)
    trailers += "X-More: " + std::string(1'000, 'x') + "\r\n";
  scripted_server server{[&](const std::string&) {
    return scripted_server::response("200 OK", "Transfer-Encoding: chunked\r\n",
                                     "5\r\nhello\r\n0\r\n" + trailers + "\r\n");
  }};
  client bucket{options_for(server)};
  const auto out = bucket.get("a", 100);
  ASSERT_FALSE(out);
  EXPECT_NE(render(out.error()).find("headers without end"), std::string::npos)
    << render(out.error());
}

} // namespace depositd::s3

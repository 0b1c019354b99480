// Citations and transfers, on a registry as the engine has it.

#include "adapters/processing/crossref/citation_handler.hpp"
#include "adapters/processing/crossref/transfer_handler.hpp"
#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using depositd::testing::a_deposit;

class doi_changes : public ::testing::Test {
protected:
  doi_changes() {
    auto opened = open_sqlite_registry(":memory:");
    EXPECT_TRUE(opened) << render(opened.error());
    registry = std::move(*opened);
  }

  submission_job job(std::vector<std::string> prefixes = {}) {
    submission_job out;
    out.submission = ++submission_last;
    out.user = "alice";
    out.processor = "sp1";
    out.prefixes = std::move(prefixes);
    return out;
  }

  outcome register_doi(const std::string& doi, const std::string& timestamp,
                       std::vector<std::string> prefixes = {}) {
    return metadata_handler{registry, nullptr}.handle(
      job(std::move(prefixes)),
      a_deposit().with_timestamp(timestamp).with_article(doi).text());
  }

  outcome cite(const std::string& body,
               std::vector<std::string> prefixes = {}) {
    return citation_handler{registry}.handle(job(std::move(prefixes)),
                                             citations(body));
  }

  outcome transfer(const std::string& text,
                   std::vector<std::string> prefixes = {}) {
    return transfer_handler{registry}.handle(job(std::move(prefixes)), text);
  }

  static std::string citations(const std::string& body) {
    return "<?xml version=\"1.0\"?><doi_batch version=\"4.3.6\" xmlns=\""
           "http://www.crossref.org/doi_resources_schema/4.3.6\"><head>"
           "<doi_batch_id>cites-1</doi_batch_id><depositor><depositor_name>A"
           "</depositor_name><email_address>a@example.org</email_address>"
           "</depositor></head><body>"
           + body + "</body></doi_batch>";
  }

  static std::string citing(const std::string& doi) {
    return "<doi_citations><doi>" + doi
           + "</doi><citation_list>"
             "<citation key=\"ref1\"><doi>10.5555/cited</doi></citation>"
             "<citation key=\"ref2\"><unstructured_citation>Clow <i>et al.</i>"
             " 1988</unstructured_citation></citation>"
             "<citation key=\"ref3\"><author>Chauncey</author><cYear>2001"
             "</cYear></citation></citation_list></doi_citations>";
  }

  doi_record one(const std::string& doi) {
    const auto found = registry->find({.doi = doi}, 1);
    EXPECT_TRUE(found) << render(found.error());
    return found && !found->empty() ? found->front() : doi_record{};
  }

  static bool has(const outcome& x, const std::string& text) {
    return x.document.find(text) != std::string::npos;
  }

  std::shared_ptr<doi_registry> registry;
  item_id submission_last = 0;
};

TEST_F(doi_changes, records_what_a_doi_cites) {
  register_doi("10.5555/a", "1");
  const auto done = cite(citing("10.5555/A"));
  EXPECT_EQ(done.says, verdict::done) << done.reason;
  EXPECT_EQ(done.batch_id, "cites-1");
  EXPECT_TRUE(done.tell);
  EXPECT_TRUE(has(done, "Successfully updated"));
  EXPECT_TRUE(has(done, "ref1"));
  const auto kept = nlohmann::json::parse(one("10.5555/a").citations);
  const auto wanted = nlohmann::json::parse(
    R"([{"key":"ref1","doi":"10.5555/cited","text":""},)"
    R"({"key":"ref2","doi":"","text":"Clow et al. 1988"},)"
    R"({"key":"ref3","doi":"","text":"Chauncey; 2001"}])");
  EXPECT_EQ(kept, wanted);
}

TEST_F(doi_changes, names_each_doi_whose_citations_are_refused) {
  register_doi("10.5555/a", "1");
  register_doi("10.6666/b", "1");
  const auto done = cite(citing("10.5555/a") + citing("10.6666/b")
                           + citing("10.5555/none") + citing("nonsense"),
                         {"10.5555"});
  EXPECT_EQ(done.says, verdict::done) << done.reason;
  EXPECT_TRUE(has(done, "<record_count>4<"));
  EXPECT_TRUE(has(done, "<failure_count>3<"));
  EXPECT_TRUE(has(done, "User not allowed to add records for prefix: 10.6666"));
  EXPECT_TRUE(has(done, "This DOI is not registered here"));
  EXPECT_EQ(one("10.6666/b").citations, "");
  EXPECT_NE(one("10.5555/a").citations, "");
}

TEST_F(doi_changes, refuses_what_is_no_deposit_of_citations) {
  register_doi("10.5555/a", "1");
  const auto other =
    cite("<doi_resources><doi>10.5555/a</doi></doi_resources>");
  EXPECT_EQ(other.says, verdict::failed);
  EXPECT_NE(other.reason.find("only doi_citations"), std::string::npos);
  EXPECT_EQ(other.batch_id, "cites-1");
  EXPECT_EQ(cite("").says, verdict::failed);
  const auto metadata = citation_handler{registry}.handle(
    job(), a_deposit().with_article("10.5555/a").text());
  EXPECT_EQ(metadata.says, verdict::failed);
  EXPECT_NE(metadata.reason.find("doi_resources_schema"), std::string::npos);
  EXPECT_EQ(metadata.batch_id, "batch-1");
}

TEST_F(doi_changes, gives_the_same_answer_to_a_repeat) {
  register_doi("10.5555/a", "1");
  auto once = job();
  const auto bytes = citations(citing("10.5555/a"));
  const citation_handler cites{registry};
  const auto first = cites.handle(once, bytes);
  EXPECT_EQ(cites.handle(once, bytes), first);
  once.submission = ++submission_last;
  const std::string text = "H: fromPrefix=10.5555;toPrefix=10.6666\n10.5555/a";
  const transfer_handler moves{registry};
  const auto moved = moves.handle(once, text);
  EXPECT_EQ(moved.says, verdict::done) << moved.reason;
  EXPECT_EQ(moves.handle(once, text), moved);
}

TEST_F(doi_changes, transfers_dois_of_one_prefix_to_another) {
  const std::vector<std::string> both{"10.1111", "10.2222"};
  register_doi("10.1111/a", "1");
  register_doi("10.1111/b", "1");
  const auto done =
    transfer("\xEF\xBB\xBFH: email=a@example.org; fromPrefix=10.1111; "
             "toPrefix=10.2222\r\n10.1111/A\thttps://new.example/a\r\n\r\n"
             "10.1111/b\r\n10.1111/none\r\n10.1111/a\r\n",
             both);
  EXPECT_EQ(done.says, verdict::done) << done.reason;
  EXPECT_TRUE(done.tell);
  EXPECT_TRUE(has(done, "<record_count>3<"));
  EXPECT_TRUE(has(done, "<failure_count>1<"));
  EXPECT_TRUE(has(done, "Successfully transferred to prefix: 10.2222"));
  EXPECT_TRUE(has(done, "This DOI is not registered here"));
  EXPECT_EQ(one("10.1111/a").resource, "https://new.example/a");
  // From now on it is the other prefix that may change it.
  const auto before = register_doi("10.1111/a", "2", {"10.1111"});
  EXPECT_EQ(before.says, verdict::failed);
  EXPECT_TRUE(
    has(before, "User not allowed to add records for prefix: 10.1111"));
  EXPECT_EQ(register_doi("10.1111/a", "2", {"10.2222"}).says, verdict::done);
  EXPECT_EQ(register_doi("10.1111/c", "2", {"10.2222"}).says, verdict::failed);
}

TEST_F(doi_changes, transfers_only_for_those_who_hold_both_prefixes) {
  register_doi("10.1111/a", "1");
  const std::string text = "H:fromPrefix=10.1111;toPrefix=10.2222\n10.1111/a\n";
  for (const auto* prefix : {"10.1111", "10.2222"}) {
    const auto done = transfer(text, {prefix});
    EXPECT_EQ(done.says, verdict::failed);
    EXPECT_TRUE(has(done, "User not allowed to transfer records of prefix: "));
  }
  EXPECT_EQ(one("10.1111/a").owner, "alice");
  EXPECT_EQ(transfer("H:fromPrefix=10.3333;toPrefix=10.2222\n10.1111/a\n").says,
            verdict::failed)
    << "it is not of that prefix";
}

TEST_F(doi_changes, changes_urls_where_one_prefix_is_given) {
  register_doi("10.1111/a", "1");
  const auto done = transfer("H:email=a@example.org;fromPrefix=10.1111\n"
                             "10.1111/a\thttps://new.example/a\n"
                             "10.1111/b\n10.1111/c\tftp://x\n",
                             {"10.1111"});
  EXPECT_EQ(done.says, verdict::done) << done.reason;
  EXPECT_TRUE(has(done, "<failure_count>2<"));
  EXPECT_TRUE(has(done, "Neither another prefix nor a URL is given"));
  EXPECT_TRUE(has(done, "This is no web address: ftp://x"));
  EXPECT_EQ(one("10.1111/a").resource, "https://new.example/a");
  EXPECT_EQ(one("10.1111/a").owner, "alice");
}

TEST_F(doi_changes, says_what_is_wrong_with_an_upload_of_transfers) {
  for (const auto* text :
       {"", "10.1111/a\n", "H: email=a@b.org\n10.1111/a\n",
        "H: fromPrefix=x;toPrefix=10.1\n", "fromPrefix=10.1111\n",
        "H: fromPrefix=10.1111;toPrefix=10.2222\n",
        "H: fromPrefix=10.1111;toPrefix=10.2222\n\xFF\n"}) {
    const auto done = transfer(text);
    EXPECT_EQ(done.says, verdict::failed) << text;
    EXPECT_FALSE(done.reason.empty());
  }
}

} // namespace

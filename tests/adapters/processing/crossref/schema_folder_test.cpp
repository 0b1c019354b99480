#include "adapters/processing/crossref/metadata_handler.hpp"
#include "adapters/processing/crossref/schema_folder.hpp"

#include "tests/adapters/doors/crossref/fake_stores.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using depositd::testing::a_deposit;

/// A schema of our own: a deposit must have a timestamp, and what it imports
/// comes from addresses that must never be asked.
constexpr auto main_schema = R"(<?xml version="1.0" encoding="UTF-8"?>
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"
  xmlns="http://www.crossref.org/schema/5.3.1"
  targetNamespace="http://www.crossref.org/schema/5.3.1"
  elementFormDefault="qualified">
  <xsd:include schemaLocation="http://127.0.0.1:9/schemas/common5.3.1.xsd"/>
  <xsd:element name="doi_batch"><xsd:complexType><xsd:sequence>
    <xsd:element name="head"><xsd:complexType><xsd:sequence>
      <xsd:element ref="doi_batch_id"/>
      <xsd:element name="timestamp" type="xsd:double"/>
    </xsd:sequence></xsd:complexType></xsd:element>
    <xsd:element name="body"><xsd:complexType><xsd:sequence>
      <xsd:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
    </xsd:sequence></xsd:complexType></xsd:element>
  </xsd:sequence><xsd:attribute name="version" fixed="5.3.1"/>
  <xsd:anyAttribute namespace="##other" processContents="lax"/>
  </xsd:complexType></xsd:element>
</xsd:schema>)";

constexpr auto common_schema = R"(<?xml version="1.0" encoding="UTF-8"?>
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"
  targetNamespace="http://www.crossref.org/schema/5.3.1">
  <xsd:element name="doi_batch_id"><xsd:simpleType>
    <xsd:restriction base="xsd:string"><xsd:minLength value="4"/>
    </xsd:restriction></xsd:simpleType></xsd:element>
</xsd:schema>)";

class schema_folder_test : public ::testing::Test {
protected:
  schema_folder_test() {
    auto pattern =
      (std::filesystem::temp_directory_path() / "schemas.XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    write("crossref5.3.1.xsd", main_schema);
    write("common5.3.1.xsd", common_schema);
  }

  ~schema_folder_test() override {
    std::filesystem::remove_all(folder);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream{folder / name} << text;
  }

  outcome deposit(const std::string& bytes) {
    const metadata_handler handler{
      std::make_shared<depositd::testing::fake_registry>(),
      std::make_shared<schema_folder>(folder)};
    submission_job job;
    job.submission = 1;
    return handler.handle(job, bytes);
  }

  std::filesystem::path folder;
};

TEST_F(schema_folder_test, lets_a_valid_deposit_of_ten_mebibytes_pass) {
  auto text = a_deposit().with_article("10.5555/a").text();
  text.resize(xml_limits{}.bytes_max, ' ');
  const auto x = deposit(text);
  EXPECT_EQ(x.says, verdict::done) << x.reason << x.document.substr(0, 2'000);
}

TEST_F(schema_folder_test, lets_a_valid_deposit_pass) {
  const auto x = deposit(a_deposit().with_article("10.5555/a").text());
  EXPECT_EQ(x.says, verdict::done) << x.reason;
}

TEST_F(schema_folder_test, names_line_and_rule_of_an_invalid_one) {
  const auto x =
    deposit(a_deposit().with_timestamp("").with_article("10.5555/a").text());
  EXPECT_EQ(x.says, verdict::failed);
  EXPECT_EQ(x.reason.find("line 2: Element '"), 0u) << x.reason;
  EXPECT_NE(x.reason.find("timestamp"), std::string::npos) << x.reason;
  EXPECT_EQ(x.batch_id, "batch-1");
}

TEST_F(schema_folder_test, applies_rules_of_included_files) {
  const auto x =
    deposit(a_deposit().with_batch_id("b").with_article("10.5555/a").text());
  EXPECT_EQ(x.says, verdict::failed);
  EXPECT_EQ(x.batch_id, "b");
}

TEST_F(schema_folder_test, fails_a_version_without_a_schema) {
  const auto x =
    deposit(a_deposit().with_version("4.4.0").with_article("10.5555/a").text());
  EXPECT_EQ(x.says, verdict::failed);
  EXPECT_EQ(x.reason, "schema crossref4.4.0.xsd is not available");
}

TEST_F(schema_folder_test, tries_again_while_a_schema_cannot_be_used) {
  write("crossref4.4.0.xsd", "<xsd:schema");
  std::filesystem::remove(folder / "common5.3.1.xsd");
  for (const auto* version : {"4.4.0", "5.3.1"}) {
    const auto x = deposit(
      a_deposit().with_version(version).with_article("10.5555/a").text());
    EXPECT_EQ(x.says, verdict::retry) << version;
    EXPECT_NE(x.reason.find("cannot be used"), std::string::npos) << x.reason;
  }
}

TEST_F(schema_folder_test, reads_each_schema_once) {
  schema_folder schemas{folder};
  const auto text = a_deposit().with_article("10.5555/a").text();
  EXPECT_FALSE(schemas.check("5.3.1", text));
  std::filesystem::remove(folder / "crossref5.3.1.xsd");
  EXPECT_FALSE(schemas.check("5.3.1", text));
}

TEST_F(schema_folder_test, does_not_follow_a_documents_schema_location) {
  write("evil.xsd", "<xsd:schema xmlns:xsd='http://www.w3.org/2001/XMLSchema' "
                    "targetNamespace='urn:evil'><xsd:element name='e' "
                    "type='xsd:int'/></xsd:schema>");
  const auto x = deposit(
    "<doi_batch xmlns='http://www.crossref.org/schema/5.3.1' version='5.3.1' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
    "xsi:schemaLocation='urn:evil "
    + (folder / "evil.xsd").string()
    + " urn:far http://127.0.0.1:9/x.xsd'><head><doi_batch_id>b-12"
      "</doi_batch_id><timestamp>1</timestamp></head><body><posted_content>"
      "<doi_data><doi>10.5555/a</doi></doi_data></posted_content></body>"
      "</doi_batch>");
  EXPECT_EQ(x.says, verdict::done) << x.reason;
}

TEST_F(schema_folder_test, serves_several_threads) {
  schema_folder schemas{folder};
  const auto good = a_deposit().with_article("10.5555/a").text();
  const auto bad = a_deposit().with_timestamp("").text();
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k)
        right += !schemas.check("5.3.1", good) && schemas.check("5.3.1", bad);
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(right, 200);
}

} // namespace

// The samples of config/samples do what their README says.

#include "adapters/processing/crossref/metadata_handler.hpp"

#include "tests/adapters/doors/crossref/fake_stores.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using namespace depositd;
using namespace depositd::crossref;

struct samples_test : ::testing::Test {
  static std::string read(const std::string& name) {
    const auto* folder = std::getenv("DEPOSITD_SAMPLES");
    std::ifstream file{std::filesystem::path{folder ? folder : ""} / name,
                       std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  void SetUp() override {
    if (!std::getenv("DEPOSITD_SAMPLES"))
      GTEST_SKIP() << "set DEPOSITD_SAMPLES to config/samples";
  }

  outcome deposit(const std::string& bytes) {
    submission_job job;
    job.submission = ++submission_last;
    return handler.handle(job, bytes);
  }

  /// "records/failures" of the document.
  static std::string counts(const outcome& x) {
    const auto number = [&](const std::string& name) {
      const auto begin = x.document.find("<" + name + ">") + name.size() + 2;
      return x.document.substr(begin, x.document.find('<', begin) - begin);
    };
    return number("record_count") + "/" + number("failure_count");
  }

  metadata_handler handler{std::make_shared<depositd::testing::fake_registry>(),
                           nullptr};
  item_id submission_last = 0;
};

struct sample {
  const char* name;
  const char* counts;
  const char* batch_id;
};

TEST_F(samples_test, come_to_what_their_readme_says) {
  const sample samples[] = {
    {"boris/journal-issue.xml", "3/0", "tides-2024-1"},
    {"boris/book.xml", "2/0", "atlas-2024"},
    {"chidi/conference-first.xml", "1/0", "quiet-machines-first"},
    {"chidi/conference-again.xml", "1/1", "quiet-machines-again"},
    {"chidi/dataset.xml", "2/0", "quiet-data"},
    {"dalia/pending-publication.xml", "1/0", "dalia-pending"},
    {"dalia/mixed.xml", "2/1", "dalia-mixed"},
    {"dalia/not-xml.xml", "1/1", ""},
    {"dalia/doctype.xml", "1/1", ""},
    {"dalia/cut-off.xml", "1/1", "dalia-cut"},
  };
  for (const auto& x : samples) {
    const auto got = deposit(read(x.name));
    EXPECT_EQ(counts(got), x.counts) << x.name << ": " << got.reason;
    EXPECT_EQ(got.batch_id, x.batch_id) << x.name;
  }
}

TEST_F(samples_test, make_a_deposit_of_its_own_of_every_copy) {
  const auto pattern = read("amelie/field-note.template.xml");
  for (const auto* number : {"1", "2", "60"}) {
    auto copy = pattern;
    for (auto at = copy.find("@N@"); at != copy.npos; at = copy.find("@N@"))
      copy.replace(at, 3, number);
    const auto got = deposit(copy);
    EXPECT_EQ(counts(got), "1/0") << got.reason;
    EXPECT_EQ(got.batch_id, std::string{"field-notes-"} + number);
  }
}

} // namespace

#include "adapters/stores/files/audit_lines.hpp"

#include "tests/support/temporary_folder.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace depositd {
namespace {

using texts = std::vector<std::string>;

class audit_lines_test : public ::testing::Test {
protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream{home.path() / name, std::ios::binary} << text;
  }

  /// All pages, one after the other.
  texts all(std::uint32_t count_max, const std::string& text = "") {
    texts out;
    audit_range where{text, count_max, ""};
    do {
      const auto page = log.read(where);
      EXPECT_TRUE(page);
      if (!page)
        return out;
      EXPECT_LE(page->lines.size(), count_max);
      out.insert(out.end(), page->lines.begin(), page->lines.end());
      where.after = page->next;
    } while (!where.after.empty());
    return out;
  }

  temporary_folder home;
  audit_lines log{home.path()};
};

TEST_F(audit_lines_test, are_the_newest_first_over_files) {
  write("audit-2025-12.log", "a\nb\n");
  write("audit-2026-01.log", "c\n");
  write("audit-2026-02.log", "d\ne\nf\n");
  write("audit-2026-02.log.gz", "not ours\n");
  const texts expected{"f", "e", "d", "c", "b", "a"};
  for (const std::uint32_t count_max : {1, 2, 3, 4, 5, 6, 7})
    EXPECT_EQ(all(count_max), expected) << count_max;
}

TEST_F(audit_lines_test, of_a_text_are_found_in_long_files) {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "line " + std::to_string(i) + " of many that are long enough\n";
  write("audit-2026-01.log", text);
  EXPECT_EQ(all(100).size(), 20'000u);
  EXPECT_EQ(all(100).back(), "line 0 of many that are long enough");
  EXPECT_EQ(all(1, "line 4711 "),
            texts{"line 4711 of many that are long enough"});
}

TEST_F(audit_lines_test, longer_than_a_page_come_whole) {
  const std::string wide(audit_page_bytes + 100'000, 'x');
  write("audit-2026-01.log", "first\n" + wide + "\nlast\n");
  EXPECT_EQ(all(10), (texts{"last", wide, "first"}));
}

TEST_F(audit_lines_test, that_is_being_written_counts_as_it_is) {
  write("audit-2026-01.log", "a\nhal");
  EXPECT_EQ(all(10), (texts{"hal", "a"}));
}

TEST_F(audit_lines_test, go_on_where_a_file_has_gone) {
  write("audit-2026-01.log", "a\n");
  write("audit-2026-02.log", "b\nc\n");
  const auto page = log.read({"", 1, ""});
  ASSERT_TRUE(page);
  std::filesystem::remove(home.path() / "audit-2026-02.log");
  const auto next = log.read({"", 9, page->next});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->lines, texts{"a"});
}

TEST_F(audit_lines_test, of_no_folder_are_none) {
  const audit_lines none{home.path() / "gone"};
  const auto page = none.read({});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->lines.empty());
  EXPECT_TRUE(page->next.empty());
}

TEST_F(audit_lines_test, behind_nowhere_are_refused) {
  for (const auto* wrong :
       {"x", "audit-2026-01.log", "audit-2026-01.log@", "@1",
        "audit-2026-01.log@1x", "../../etc/passwd@1", "audit-2026-13.log@1"})
    EXPECT_EQ(log.read({"", 1, wrong}).error(), ec::invalid_argument) << wrong;
}

} // namespace
} // namespace depositd

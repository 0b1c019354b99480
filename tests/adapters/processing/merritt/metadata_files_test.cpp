#include "adapters/processing/merritt/metadata_files.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace depositd::merritt {

TEST(erc, M14_has_identifiers_and_the_kernel) {
  const auto x = read_erc("erc:\r\n"
                          "# a comment\n"
                          "who: Ada\n"
                          "Who: Grace\n"
                          "what: A title\n"
                          "   that goes on\n"
                          "when: (:unkn)\n"
                          "where: ark:/99999/fk4abc\n"
                          "where: local1; local2\n"
                          "where: (:unas)\n"
                          "note: left alone\n");
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(*x, (kernel_metadata{"Ada; Grace",
                                 "A title that goes on",
                                 "",
                                 "ark:/99999/fk4abc",
                                 {"local1", "local2"}}));
}

TEST(erc, is_read_as_it_is_written) {
  const kernel_metadata x{
    "Ada", "Line\none", "1843", "ark:/99999/fk4abc", {"l1"}};
  const auto text = write_erc(x);
  EXPECT_EQ(text, "erc:\nwho: Ada\nwhat: Line one\nwhen: 1843\n"
                  "where: ark:/99999/fk4abc\nwhere: l1\n");
  auto same = x;
  same.what = "Line one";
  EXPECT_EQ(*read_erc(text), same);
  EXPECT_EQ(*read_erc(write_erc({})), kernel_metadata{});
}

TEST(erc, takes_an_ark_for_no_local_identifier) {
  const auto x = read_erc("where: l1; ark:/99999/fk4abc; (:unas)\n"
                          "where: ark:/99999/fk4def; l2\n");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->primary_identifier, "ark:/99999/fk4abc");
  EXPECT_EQ(x->local_ids, (std::vector<std::string>{"l1", "l2"}));
  EXPECT_EQ(*read_erc(write_erc(*x)), *x);
}

TEST(erc, names_a_hundred_local_ids_at_most) {
  std::string most = "where: ark:/99999/fk4abc\n";
  for (int i = 1; i <= 100; ++i)
    most += "where: l" + std::to_string(i) + "\n";
  const auto x = read_erc(most + "where: l1; l100\n");
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->local_ids.size(), 100u);
  EXPECT_EQ(render(read_erc(most + "where: one more\n").error()),
            "there are more than 100 local identifiers");
}

TEST(erc, says_in_which_line_it_is_wrong) {
  EXPECT_EQ(render(read_erc("who: a\nnothing\n").error()),
            "line 2: neither a name with a colon nor a comment");
  EXPECT_EQ(render(read_erc("  who: a\n").error()),
            "line 1: nothing is there to be continued");
  EXPECT_EQ(read_erc("who: \x01\n").error(), ec::malformed);
  EXPECT_EQ(read_erc("who: \xff\n").error(), ec::malformed);
  EXPECT_EQ(read_erc(std::string(metadata_bytes_max + 1, '#')).error(),
            ec::too_large);
}

TEST(texts_in_a_payload, may_begin_with_a_byte_order_mark) {
  const std::string mark = "\xef\xbb\xbf";
  const auto erc = read_erc(mark + "where: ark:/99999/fk4abc\nwho: Ada\n");
  ASSERT_TRUE(erc) << render(erc.error());
  EXPECT_EQ(erc->primary_identifier, "ark:/99999/fk4abc");
  EXPECT_EQ(erc->who, "Ada");
  EXPECT_TRUE(read_embargo(mark + "embargoEndDate: NONE\n"));
  const auto gone = read_delete_list(mark + "a.txt\nb.txt\n");
  ASSERT_TRUE(gone) << render(gone.error());
  EXPECT_EQ(gone->front(), "producer/a.txt");
}

TEST(embargoes, M43_end_at_a_date_or_do_not_exist) {
  EXPECT_TRUE(read_embargo("embargoEndDate: NONE\n")->none);
  const auto x = read_embargo("embargoEndDate: 2030-01-01T00:00:00Z\n");
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_FALSE(x->none);
  EXPECT_EQ(x->until_us, 1'893'456'000'000'000);
  EXPECT_EQ(render(read_embargo("embargoEndDate: soon\n").error()),
            "embargoEndDate: \"soon\" is neither NONE nor a date");
  EXPECT_EQ(read_embargo("date: 2030-01-01\n").error(), ec::malformed);
}

TEST(delete_lists, M46_name_files_of_the_producer) {
  const auto x = read_delete_list("a.txt\r\n\n sub/b \na.txt\n");
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(*x, (std::vector<std::string>{"producer/a.txt", "producer/sub/b"}));
  EXPECT_EQ(render(read_delete_list("a\n../system/x\n").error()),
            "line 2: the path has a part that is . or ..");
}

TEST(delete_lists, of_very_many_names_are_read_at_once) {
  std::string text;
  for (int i = 0; i < 120'000; ++i)
    text += std::to_string(i) + "\n";
  const auto begun = std::clock();
  const auto x = read_delete_list(text + "0\n");
  const auto seconds = double(std::clock() - begun) / CLOCKS_PER_SEC;
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->size(), 120'000u);
  EXPECT_LT(seconds, 5) << "each was compared with all before it";
}

TEST(dublin_core_files, have_the_fifteen_elements) {
  const auto x = read_dublin_core(
    "<?xml version='1.0'?><m xmlns:dc='http://purl.org/dc/elements/1.1/'>"
    "<dc:title> A &amp; B </dc:title><dc:creator>Ada</dc:creator>"
    "<dc:creator>Grace</dc:creator><dc:other>x</dc:other><title>no</title>"
    "<dc:date/></m>");
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(*x,
            (dublin_core{
              {"title", "A & B"}, {"creator", "Ada"}, {"creator", "Grace"}}));
}

TEST(dublin_core_files, are_read_as_they_are_written) {
  const dublin_core x = {{"title", "<a> & \"b\" \u00e9"}, {"type", "Text"}};
  EXPECT_EQ(*read_dublin_core(write_dublin_core(x)), x);
  EXPECT_EQ(*read_dublin_core(write_dublin_core({{"title", "a\x1b[2J"}})),
            (dublin_core{{"title", "a [2J"}}));
}

TEST(dublin_core_files, rows_25_to_28_are_guarded) {
  EXPECT_EQ(
    read_dublin_core("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>").error(),
    ec::malformed);
  EXPECT_FALSE(read_dublin_core("<a>"));
  EXPECT_EQ(read_dublin_core(std::string(metadata_bytes_max + 1, ' ')).error(),
            ec::too_large);
}

} // namespace depositd::merritt

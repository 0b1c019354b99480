// Names of tests begin with the rows of the case table that they stand for.

#include "tests/adapters/processing/merritt/manifests.hpp"

#include <gtest/gtest.h>

namespace depositd::merritt {

namespace {

using namespace testing;

/// A batch manifest of this kind with these rows.
std::string batch(const std::string& kind, const std::string& rows) {
  return header("mrt-" + kind + "manifest") + rows + eof;
}

const std::string file_row =
  "https://example.org/a.jpg | SHA256 | "
  "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"
  " | 3 | | a.jpg | ark:/99999/fk4abc | id1; id2;id1 | Ada | Title | 1898\n";

std::string three(const std::string& ending) {
  std::string out;
  for (const auto* name : {"x", "y", "z"})
    out += "https://example.org/" + std::string{name} + ending + " | | | | | "
           + name + ending + "\n";
  return out;
}

} // namespace

TEST(batch_manifest, M05_M06_M07_has_a_row_for_each_job) {
  const std::pair<const char*, manifest_kind> kinds[] = {
    {"batch-", manifest_kind::batch_of_manifests},
    {"container-batch-", manifest_kind::batch_of_containers},
    {"single-file-batch-", manifest_kind::batch_of_files}};
  for (const auto& [name, kind] : kinds) {
    const auto x = read_manifest(batch(name, three(".zip")));
    ASSERT_FALSE(x.corrupt()) << render(*x.fault);
    EXPECT_EQ(x.found.kind, kind);
    EXPECT_EQ(x.found.rows.size(), 3u);
    EXPECT_FALSE(judge(x));
  }
}

TEST(batch_manifest, M11_M13_says_what_each_job_is) {
  const auto x = read_manifest(batch("single-file-batch-", file_row));
  ASSERT_FALSE(x.corrupt()) << render(*x.fault);
  const auto& row = x.found.rows[0];
  EXPECT_EQ(row.expected->algorithm, digest_algorithm::sha256);
  EXPECT_EQ(row.primary_identifier, "ark:/99999/fk4abc");
  EXPECT_EQ(row.local_ids, (std::vector<std::string>{"id1", "id2"}));
  EXPECT_EQ(row.creator, "Ada");
  EXPECT_EQ(row.title, "Title");
  EXPECT_EQ(row.date, "1898");
  EXPECT_EQ(row.mime_type, "") << "that column is not here";
}

TEST(batch_manifest, old_profiles_are_known) {
  for (const auto* name : {"mrt-ingest-manifest", "mrt-batch-manifest"})
    EXPECT_EQ(fault_of("#%profile | http://uc3.cdlib.org/registry/mrt/"
                       + std::string{name}
                       + "\nhttps://example.org/a | | | | | a\n#%eof\n"),
              "");
}

TEST(batch_manifest, M32_of_files_stores_archives_and_manifests_as_they_are) {
  EXPECT_EQ(
    fault_of(batch("single-file-batch-", three(".zip") + three(".checkm"))),
    "");
}

TEST(batch_manifest, M33_of_containers_fails_only_the_row_that_is_none) {
  const auto x = read_manifest(
    batch("container-batch-", three(".tar.gz") + three(".zip.txt")));
  ASSERT_FALSE(x.corrupt());
  EXPECT_EQ(x.found.rows[0].fault, "");
  EXPECT_EQ(x.found.rows[3].fault,
            "\"x.zip.txt\" is not the name of an archive");
}

TEST(batch_manifest, M34_of_manifests_does_not_judge_by_names) {
  EXPECT_EQ(fault_of(batch("batch-", three(".checkm.txt"))), "");
}

TEST(batch_manifest, M35_fails_only_the_row_with_a_bad_ark) {
  const auto x = read_manifest(batch(
    "container-batch-",
    "https://example.org/a.zip | | | | | a.zip | ark:/foo\n" + three(".zip")));
  ASSERT_FALSE(x.corrupt());
  EXPECT_EQ(x.found.rows[0].fault, "\"ark:/foo\" is no ARK");
  EXPECT_EQ(x.found.rows[1].fault, "");
  EXPECT_EQ(render(*judge(x)), "line 6: \"ark:/foo\" is no ARK");
}

TEST(batch_manifest, M27_M39_fails_only_the_row_without_address_or_good_name) {
  const auto x = read_manifest(batch("single-file-batch-",
                                     "| | | | | a\n"
                                     "https://example.org/b | | | | | ../b\n"
                                     "https://example.org/c | | | | | c\n"));
  ASSERT_FALSE(x.corrupt()) << render(*x.fault);
  EXPECT_EQ(x.found.rows[0].fault, "there is no URL");
  EXPECT_EQ(x.found.rows[1].fault,
            "the file name \"../b\" has a part that is . or ..");
  EXPECT_EQ(x.found.rows[2].fault, "");
}

TEST(batch_manifest, M36_without_rows_is_corrupt) {
  EXPECT_EQ(corruption_of(batch("batch-", "\n# nothing\n")),
            "there are no rows");
}

TEST(batch_manifest, M37_has_five_million_bytes_at_most) {
  auto text = header("mrt-batch-manifest") + "https://example.org/a\n";
  text += "#" + std::string(1'000, '.') + "\n";
  while (text.size() + 1'000 + eof.size() <= batch_manifest_bytes_max)
    text += "#" + std::string(998, '.') + "\n";
  text +=
    "#"
    + std::string(batch_manifest_bytes_max - text.size() - 2 - eof.size(), '.')
    + "\n" + eof;
  ASSERT_EQ(text.size(), batch_manifest_bytes_max);
  EXPECT_EQ(corruption_of(text), "");
  EXPECT_EQ(corruption_of("#" + text),
            "a batch manifest has at most 5000000 bytes");
}

TEST(batch_manifest, rows_may_have_the_same_name) {
  EXPECT_EQ(fault_of(batch("single-file-batch-", file_row + file_row)), "");
}

TEST(submission_types, are_those_of_the_form) {
  EXPECT_EQ(find_submission_type("file"), submission_type::file);
  EXPECT_EQ(find_submission_type("object-manifest"),
            submission_type::object_manifest);
  EXPECT_EQ(find_submission_type("batchManifestFile"),
            submission_type::batch_of_files);
  EXPECT_FALSE(find_submission_type("File"));
  EXPECT_FALSE(find_submission_type(""));
}

TEST(submission_types, M45_are_found_out_if_nobody_says) {
  for (const auto* name : {"a.zip", "a.TAR", "a.tgz", "a.tar.gz", "a.bz2"})
    EXPECT_EQ(detect_type(name, ""), submission_type::container) << name;
  EXPECT_EQ(detect_type("a.checkm", batch("batch-", three(".checkm"))),
            submission_type::batch_of_manifests);
  EXPECT_EQ(detect_type("a.checkm", batch("container-batch-", three(".zip"))),
            submission_type::batch_of_containers);
  EXPECT_EQ(detect_type("a", batch("single-file-batch-", file_row)),
            submission_type::batch_of_files);
  EXPECT_EQ(detect_type("a", object(first_row)),
            submission_type::object_manifest);
  EXPECT_EQ(detect_type("a", object_header + "broken\n"),
            submission_type::object_manifest)
    << "its sender must be told";
  EXPECT_EQ(detect_type("a.txt", "hello"), submission_type::file);
  EXPECT_EQ(detect_type("zip", "#%checkm_0.7\n"), submission_type::file);
}

TEST(local_ids, M13_are_trimmed_and_named_once) {
  EXPECT_EQ(split_local_ids("a;a;a;b;b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(split_local_ids(" ; a b ;;"), std::vector<std::string>{"a b"});
  EXPECT_TRUE(split_local_ids("").empty());
}

TEST(local_ids, M14_M15_are_merged_in_their_order) {
  EXPECT_EQ(merge_local_ids({"f1", "f2"}, {"e1", "f1"}),
            (std::vector<std::string>{"f1", "f2", "e1"}));
}

TEST(local_ids, are_as_long_as_the_inventory_takes) {
  EXPECT_EQ(local_ids_fault({"a", std::string(1'024, 'l')}), "");
  EXPECT_EQ(local_ids_fault({"a", std::string(1'025, 'l')}),
            "a local identifier has more than 1024 bytes");
}

TEST(local_ids, are_a_hundred_at_most) {
  std::string most;
  for (int i = 1; i <= 100; ++i)
    most += std::to_string(i) + ";";
  EXPECT_EQ(local_ids_fault(split_local_ids(most)), "");
  EXPECT_EQ(local_ids_fault(split_local_ids(most + "one more")),
            "there are more than 100 local identifiers");
  // Nobody need know the last of very many, to tell which of them repeat.
  const auto found = split_local_ids(most + "101;102;103");
  EXPECT_EQ(found.size(), 101u);
}

TEST(arks, are_as_long_as_the_inventory_takes) {
  const auto name = std::string(1'024 - 11, 'a');
  for (const auto* authority : {"ark:/99999/", "ark:99999/"}) {
    EXPECT_TRUE(legal_ark(authority + name));
    EXPECT_FALSE(legal_ark(authority + name + "a"))
      << "with the slash that it gets";
  }
}

TEST(arks, have_an_authority_and_a_name) {
  for (const auto* good : {"ark:/99999/fk4abc", "ark:99999/fk4abc",
                           "ark:/13030/m5/part.v2", "ark:/b5060/d8"})
    EXPECT_TRUE(legal_ark(good)) << good;
  for (const auto* bad : {"", "ark:", "ark:/foo", "ark:/99999", "ark:/99999/",
                          "ark:/9999/x", "ark:/99999//x", "ark:/99999/a b",
                          "ARK:/99999/x", "doi:10.1/x", "ark:/99999/x\n"})
    EXPECT_FALSE(legal_ark(bad)) << bad;
}

} // namespace depositd::merritt

// Manifests that are only to be checked.

#include "tests/adapters/doors/poster/poster_world.hpp"
#include "tests/adapters/processing/merritt/manifests.hpp"

using namespace depositd;
using namespace depositd::testing;
using namespace depositd::merritt::testing;

namespace {

class poster_check : public poster_world {
protected:
  raw_answer check(const std::string& body,
                   const std::string& type = "text/plain") {
    return ask(post_text("/poster/check", body, "", type));
  }
};

} // namespace

TEST_F(poster_check, a_good_manifest_is_told_what_it_is) {
  start();
  const auto manifest = object(first_row + second_row);
  const auto expected = nlohmann::json::parse(
    R"({"ok": true, "kind": "object-manifest", "rows": 2})");
  for (const auto* type : {"text/plain", "application/octet-stream",
                           "application/x-www-form-urlencoded"}) {
    const auto x = check(manifest, type);
    EXPECT_EQ(x.status, 200u) << type;
    EXPECT_EQ(json_of(x), expected);
  }
  const auto form = form_text{}.field("a", "b").file("f", "m.checkm", manifest);
  const auto x = check(form.closed(), "multipart/form-data; boundary=xYzZY");
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(json_of(x), expected);
}

TEST_F(poster_check, a_bad_manifest_is_told_where_it_is_bad) {
  start();
  const auto bad = header("mrt-batch-manifest")
                   + "https://example.org/a.checkm | md5 | xyz\n" + eof;
  const auto x = check(bad);
  EXPECT_EQ(x.status, 422u);
  EXPECT_EQ(json_of(x).at("ok"), false);
  EXPECT_EQ(json_of(x).at("line"), 6);
  EXPECT_FALSE(json_of(x).at("reason").get<std::string>().empty());
  EXPECT_EQ(check(object_header + first_row).status, 422u);
  EXPECT_EQ(check("").status, 422u);
}

TEST_F(poster_check, an_ark_that_is_none_is_refused) {
  start();
  const auto row = "https://example.org/a.checkm | | | | | a | not-an-ark\n";
  const auto x = check(header("mrt-batch-manifest") + row + eof);
  EXPECT_EQ(x.status, 422u);
  EXPECT_EQ(json_of(x).at("line"), 6);
}

TEST_F(poster_check, an_input_where_no_file_was_chosen_is_not_checked) {
  start();
  auto form = form_text{}.file("f", "", "");
  const auto* type = "multipart/form-data; boundary=xYzZY";
  EXPECT_EQ(check(form.closed(), type).status, 400u);
  const auto& bad = form.file("g", "m.checkm", "no manifest");
  EXPECT_EQ(check(bad.closed(), type).status, 422u);
}

TEST_F(poster_check, a_form_without_a_file_is_400) {
  start();
  EXPECT_EQ(check(form_text{}.field("a", "b").closed(),
                  "multipart/form-data; boundary=xYzZY")
              .status,
            400u);
  EXPECT_EQ(check("nothing", "multipart/form-data; boundary=xYzZY").status,
            400u);
}

TEST_F(poster_check, m37_a_batch_manifest_has_a_limit_and_so_has_the_door) {
  start();
  auto manifest = header("mrt-batch-manifest");
  manifest += "https://example.org/a.checkm\n";
  manifest += std::string(4'990'000, '\n') + "#";
  manifest += std::string(5'000'001 - manifest.size() - 1 - eof.size(), ' ');
  manifest += "\n" + eof;
  ASSERT_EQ(manifest.size(), 5'000'001u);
  EXPECT_EQ(check(manifest).status, 422u);
  EXPECT_EQ(check(std::string(poster::check_bytes_max + 1, '#')).status, 413u);
  auto rows = std::string{object_header};
  for (std::size_t i = 0; i < poster::check_rows_max; ++i)
    rows += "http://a.b/" + std::to_string(i) + "\n";
  EXPECT_EQ(check(rows + eof).status, 200u);
  EXPECT_EQ(check(rows + "http://a.b/x\n" + eof).status, 413u);
}

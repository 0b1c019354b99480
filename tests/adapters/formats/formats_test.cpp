#include "adapters/formats/identity.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace depositd::formats {

namespace {

/// As siegfried 1.11 prints it.
constexpr std::string_view answer = R"({"siegfried":"1.11.1",
"scandate":"2026-01-02T03:04:05Z","signature":"default.sig",
"created":"2024-06-28T12:00:00Z",
"identifiers":[{"name":"pronom","details":"DROID_SignatureFile_V118.xml"}],
"files":[
{"filename":"/data/a.pdf","filesize":1234,"modified":"2026-01-01T00:00:00Z",
 "errors":"","matches":[{"ns":"pronom","id":"fmt/276",
 "format":"Acrobat PDF 1.7 - Portable Document Format","version":"1.7",
 "mime":"application/pdf, application/x-pdf","class":"Page Description",
 "basis":"extension match pdf; byte match at [[0 8] [1229 5]]",
 "warning":""}]},
{"filename":"/data/b.bin","filesize":3,"errors":"","matches":[
 {"ns":"pronom","id":"UNKNOWN","format":"","version":"","mime":"","basis":"",
 "warning":"no match"}]},
{"filename":"/data/c","filesize":0,"errors":"empty source","matches":[]}
]})";

} // namespace

TEST(siegfried, says_what_each_file_is) {
  const auto files = read_siegfried(answer);
  ASSERT_TRUE(files) << render(files.error());
  ASSERT_EQ(files->size(), 3u);
  const auto& pdf = files->at(0);
  EXPECT_EQ(pdf.file, "/data/a.pdf");
  EXPECT_EQ(pdf.bytes, 1'234u);
  EXPECT_EQ(pdf.puid, "fmt/276");
  EXPECT_EQ(pdf.format, "Acrobat PDF 1.7 - Portable Document Format 1.7");
  EXPECT_EQ(pdf.mime, "application/pdf");
  EXPECT_EQ(pdf.basis, "extension match pdf; byte match at [[0 8] [1229 5]]");
  EXPECT_EQ(files->at(1).puid, "");
  EXPECT_EQ(files->at(1).warning, "no match");
  EXPECT_EQ(files->at(2).warning, "empty source");
}

TEST(siegfried, the_best_match_is_the_first_that_is_known) {
  const auto files = read_siegfried(R"({"files":[{"filename":"x","matches":[
    {"ns":"tika","id":"text/plain"}, {"ns":"pronom","id":"UNKNOWN"},
    {"ns":"pronom","id":"x-fmt/111"}, {"ns":"pronom","id":"fmt/1"}]}]})");
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(files->at(0).puid, "x-fmt/111");
}

TEST(siegfried, row_50_what_is_not_an_answer_is_refused) {
  for (const auto* text :
       {"", "[]", "{}", R"({"files":1})", R"({"files":[1]})",
        R"({"files":[{"matches":[]}]})", R"({"files":[{"filename":1}]})"})
    EXPECT_EQ(read_siegfried(text).error(), ec::malformed) << text;
  const auto odd =
    read_siegfried(R"({"files":[{"filename":"x","matches":[1,{"id":2}]}]})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->at(0).puid, "");
}

TEST(siegfried, is_not_given_files_as_options) {
  EXPECT_EQ(
    siegfried_command("sf", {"/a b", "-version", "x"}),
    (std::vector<std::string>{"sf", "-json", "/a b", "./-version", "./x"}));
}

TEST(formats, of_both_are_one) {
  const auto files = read_siegfried(answer);
  ASSERT_TRUE(files);
  const auto pdf = join("application/octet-stream", &files->at(0));
  EXPECT_EQ(pdf.mime, "application/pdf");
  EXPECT_EQ(pdf.puid, "fmt/276");
  EXPECT_TRUE(pdf.method.starts_with("siegfried: extension match"));
  for (const auto* unknown :
       {static_cast<const siegfried_file*>(nullptr), &files->at(1)}) {
    const auto plain = join("text/plain", unknown);
    EXPECT_EQ(plain.mime, "text/plain");
    EXPECT_EQ(plain.puid, "");
    EXPECT_EQ(plain.method, "libmagic");
  }
  EXPECT_EQ(join("", nullptr).mime, "application/octet-stream");
}

TEST(mime, is_told_by_the_first_bytes) {
  auto magic = mime_reader::open();
  ASSERT_TRUE(magic) << render(magic.error());
  EXPECT_EQ(*magic->of_bytes("%PDF-1.7\n%more"), "application/pdf");
  EXPECT_EQ(*magic->of_bytes("just some text\n"), "text/plain");
  EXPECT_EQ(
    *magic->of_bytes(std::string_view{"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16}),
    "image/png");
  EXPECT_EQ(*magic->of_bytes(std::string_view{"\0\1\2\3", 4}),
            "application/octet-stream");
  EXPECT_EQ(*magic->of_bytes(""), "application/octet-stream");
}

} // namespace depositd::formats

// What a form means.

#include "adapters/doors/poster/submission.hpp"
#include "adapters/doors/poster/submission_fields.hpp"
#include "messages/values/names.hpp"
#include "tests/adapters/doors/http/form_text.hpp"

#include <gtest/gtest.h>

using namespace depositd;
using namespace depositd::poster;
using depositd::testing::form_text;

namespace {

constexpr const char* md5 = "900150983cd24fb0d6963f7d28e17f72";

form_text a_form() {
  return form_text{}.field("profile", "papers").file("file", "a.txt", "abc");
}

/// The views into the form's bytes end with it: only the rest is looked at.
caf::expected<poster::submission> read(const form_text& text,
                                       const submission_target& target = {}) {
  const auto body = text.closed();
  const auto form = http::read_multipart(body, "xYzZY");
  return form ? read_submission(*form, target) : form.error();
}

batch_document read_document(const form_text& text) {
  const auto out = read(text);
  EXPECT_TRUE(out) << render(out.error());
  return out ? out->document : batch_document{};
}

std::string fault_of(const form_text& text,
                     const submission_target& target = {}) {
  const auto out = read(text, target);
  return out ? "" : render(out.error());
}

std::vector<std::string> warnings_of(const form_text& text) {
  const auto out = read(text);
  return out ? out->warnings : std::vector<std::string>{render(out.error())};
}

/// That the form is refused, with a text that names this.
void expect_fault(const form_text& text, const std::string& word) {
  EXPECT_NE(fault_of(text).find(word), std::string::npos)
    << word << ": " << fault_of(text);
}

} // namespace

TEST(poster_submission, takes_every_field_to_its_place) {
  const auto out = read(a_form()
                          .field("submitter", "Ann/Archive")
                          .field("object", "ark:/99999/fk4abc")
                          .field("type", "file")
                          .field("size", "3")
                          .field("digestType", "MD5")
                          .field("digestValue", md5)
                          .field("creator", "Ann")
                          .field("title", "Papers of mine")
                          .field("date", "2020-02-29")
                          .field("note", "first\nsecond")
                          .field("erc", "who: Ann\nwhat: Papers\n"
                                        "where: ark:/99999/fk4abc\nwhere: b")
                          .field("notification", "ann@example.org")
                          .field("responseForm", "xml")
                          .field("notificationFormat", "json")
                          .field("retainTargetURL", "true")
                          .field("DataCite.resourceType", "Text")
                          .field("DC.subject", "one")
                          .field("DC.subject", "two"));
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->warnings, std::vector<std::string>{});
  EXPECT_EQ(out->submitter, "Ann/Archive");
  const auto& x = out->document;
  EXPECT_EQ(x.collection, "papers");
  EXPECT_EQ(x.type, "file");
  EXPECT_FALSE(x.update);
  EXPECT_EQ(x.what.identifier, "ark:/99999/fk4abc");
  EXPECT_EQ(x.what.creator, "Ann");
  EXPECT_EQ(x.what.title, "Papers of mine");
  EXPECT_EQ(x.what.date, "2020-02-29");
  EXPECT_EQ(x.note, "first\nsecond");
  EXPECT_EQ(x.erc, (text_pairs{{"who", "Ann"},
                               {"what", "Papers"},
                               {"where", "ark:/99999/fk4abc"},
                               {"where", "b"}}));
  EXPECT_EQ(x.notification, "ann@example.org");
  EXPECT_EQ(x.response_form, "xml");
  EXPECT_EQ(x.resource_type, "Text");
  EXPECT_EQ(x.dublin_core,
            (text_pairs{{"subject", "one"}, {"subject", "two"}}));
  EXPECT_EQ(x.more.at("notification_format"), "json");
  EXPECT_EQ(x.more.at("retain_target_url"), "true");
  EXPECT_EQ(x.more.at("submitter"), "Ann/Archive");
  ASSERT_EQ(x.payloads.size(), 1u);
  EXPECT_EQ(x.payloads[0].file_name, "a.txt");
  EXPECT_EQ(x.payloads[0].bytes, 3u);
  ASSERT_TRUE(x.payloads[0].expected);
  EXPECT_EQ(x.payloads[0].expected->value, md5);
}

TEST(poster_submission, m13_repeated_local_ids_are_one) {
  EXPECT_EQ(read_document(a_form().field("localIdentifier", "a;a;a;b;b"))
              .what.local_ids,
            (std::vector<std::string>{"a", "b"}));
}

TEST(poster_submission, local_ids_are_no_longer_than_can_be_recorded) {
  EXPECT_EQ(fault_of(a_form().field("localIdentifier",
                                    "a;" + std::string(1'024, 'l'))),
            "");
  expect_fault(a_form().field("localIdentifier",
                              "a;" + std::string(1'025, 'l')),
               "localIdentifier: a local identifier has more than 1024 bytes");
}

TEST(poster_submission, local_ids_are_a_hundred_at_most) {
  std::string many;
  for (int i = 1; i <= 101; ++i)
    many += std::to_string(i) + ";";
  const std::string why = "there are more than 100 local identifiers";
  expect_fault(a_form().field("localIdentifier", many),
               ("localIdentifier: " + why).c_str());
  expect_fault(a_form().field("erc", "where: " + many),
               ("erc: " + why).c_str());
}

TEST(poster_submission, m44_names_that_clash_are_told_apart) {
  const auto x = read_document(
    a_form().file("file2", "a.txt", "other").file("file3", "b.txt", ""));
  ASSERT_EQ(x.payloads.size(), 3u);
  EXPECT_EQ(x.payloads[0].file_name, "a.txt");
  EXPECT_EQ(x.payloads[1].file_name.size(), 37 + 5u);
  EXPECT_TRUE(x.payloads[1].file_name.ends_with("-a.txt"));
  EXPECT_EQ(x.payloads[2].file_name, "b.txt");
  EXPECT_EQ(info_of(x, "", "http").file_name, "a.txt") << "the first";
}

TEST(poster_submission, m45_a_type_that_is_not_said_is_left_to_the_payload) {
  EXPECT_EQ(read_document(a_form()).type, "");
  for (const auto* type : {"container", "batchManifest", "object-manifest"})
    EXPECT_EQ(read_document(a_form().field("type", type)).type, type);
  expect_fault(a_form().field("type", "carton"), "\"carton\"");
}

TEST(poster_submission, the_only_payload_is_called_as_the_field_says) {
  EXPECT_EQ(
    read_document(a_form().field("filename", "b.zip")).payloads.at(0).file_name,
    "b.zip");
  const auto two = a_form().field("filename", "c").file("f", "b.txt", "x");
  EXPECT_EQ(read_document(two).payloads.at(0).file_name, "a.txt");
  EXPECT_EQ(warnings_of(two).size(), 1u);
}

TEST(poster_submission, a_size_is_that_of_an_only_payload) {
  const auto said = a_form().field("size", "7");
  EXPECT_EQ(read_document(said).payloads.at(0).bytes, 7u);
  const auto two = a_form().field("size", "7").file("f", "b.txt", "x");
  EXPECT_EQ(read_document(two).payloads.at(0).bytes, 3u);
  EXPECT_EQ(
    warnings_of(two),
    std::vector<std::string>{"size is ignored: there are several payloads"});
}

TEST(poster_submission, a_payload_may_be_at_a_url) {
  const auto x =
    read_document(form_text{}
                    .field("profile", "papers")
                    .field("url", "https://example.org/d/box.zip?x=1")
                    .field("size", "18446744073709551615"));
  ASSERT_EQ(x.payloads.size(), 1u);
  EXPECT_EQ(x.payloads[0].url, "https://example.org/d/box.zip?x=1");
  EXPECT_EQ(x.payloads[0].file_name, "box.zip");
  EXPECT_EQ(x.payloads[0].bytes, 18446744073709551615u);
  const auto with_url = [](const char* url) {
    return form_text{}.field("profile", "papers").field("url", url);
  };
  EXPECT_NE(fault_of(with_url("file:///etc/passwd")), "");
  EXPECT_NE(fault_of(with_url("https://u:p@example.org/a")), "");
  expect_fault(with_url("https://example.org/"), "file name");
}

TEST(poster_submission, fields_that_nobody_knows_are_warned_of) {
  EXPECT_EQ(
    warnings_of(a_form().field("colour", "red").field("colour", "x")),
    std::vector<std::string>{"there is no field colour: it is ignored"});
  EXPECT_EQ(warnings_of(a_form().field("DC.colour", "red")).size(), 1u);
  EXPECT_EQ(warnings_of(a_form().field("title", "a").field("title", "b")),
            std::vector<std::string>{"a second title is ignored"});
}

TEST(poster_submission, a_form_without_payload_is_refused) {
  expect_fault(form_text{}.field("profile", "papers"), "no payload");
  // What a browser sends where no file was chosen.
  expect_fault(form_text{}.field("profile", "papers").file("file", "", ""),
               "no payload");
}

TEST(poster_submission, a_form_without_collection_is_refused) {
  expect_fault(form_text{}.file("file", "a.txt", "abc"), "profile");
}

TEST(poster_submission, wrong_digests_and_sizes_are_refused) {
  expect_fault(a_form().field("digestType", "MD6").field("digestValue", md5),
               "digestType");
  expect_fault(a_form().field("digestType", "MD5").field("digestValue", "xyz"),
               "digestValue");
  expect_fault(a_form().field("digestValue", md5), "digestType");
  expect_fault(a_form()
                 .file("f", "b", "b")
                 .field("digestType", "MD5")
                 .field("digestValue", md5),
               "several");
  for (const auto* size : {"-1", "3x", "1.5", "18446744073709551616"})
    expect_fault(a_form().field("size", size), "size");
}

TEST(poster_submission, a_digest_type_alone_is_only_warned_of) {
  EXPECT_EQ(warnings_of(a_form().field("digestType", "SHA-256")).size(), 1u);
}

TEST(poster_submission, what_is_no_ark_is_refused) {
  for (const auto* ark :
       {"ark", "ark:/1/x", "doi:10.5555/a", "ark:/99999/", "ark:/99999/a b"})
    expect_fault(a_form().field("primaryIdentifier", ark), "ARK");
  EXPECT_NE(fault_of(a_form(), {.ark = "99999/fk4"}), "");
}

TEST(poster_submission, the_path_may_name_the_object) {
  const auto out = read(a_form().field("object", "ark:/99999/fk4abc"),
                        {.ark = "ark:/99999/fk4abc", .update = true});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->document.what.identifier, "ark:/99999/fk4abc");
  EXPECT_TRUE(out->document.update);
  EXPECT_NE(fault_of(a_form().field("object", "ark:/99999/other"),
                     {.ark = "ark:/99999/fk4abc"}),
            "");
}

TEST(poster_submission, an_ark_is_one_with_its_slash_and_without) {
  const auto out = read(a_form().field("object", "ark:/99999/fk4abc"),
                        {.ark = "ark:99999/fk4abc"});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->document.what.identifier, "ark:/99999/fk4abc");
}

TEST(poster_submission, a_date_is_whatever_kernels_have_for_when) {
  for (const auto* date : {"1998", "19980203", "1998-02-03T10:11:12+02:00",
                           "1900-1910", "circa 1900", "199x", "(:unkn)"}) {
    const auto out = read(a_form().field("date", date));
    ASSERT_TRUE(out) << date << ": " << render(out.error());
    EXPECT_EQ(out->document.what.date, date);
    EXPECT_TRUE(out->warnings.empty());
  }
}

TEST(poster_submission, an_address_cannot_become_another_line) {
  EXPECT_TRUE(legal_mail_address("ann@example.org"));
  for (const auto* x : {"ann", "@b", "a@", "a@b@c", "a@b, c@d", "a@b\nBcc: c@d",
                        "a@b\r\n", "<a@b>"})
    EXPECT_FALSE(legal_mail_address(x)) << x;
}

TEST(poster_submission, file_names_do_not_leave_the_payload) {
  for (const auto* name :
       {"../a", "/etc/passwd", "a/../../b", "C:\\a.txt", "a\\..\\b"})
    expect_fault(form_text{}.field("profile", "papers").file("f", name, "x"),
                 "file name");
}

TEST(poster_submission, texts_are_text_and_have_a_limit) {
  expect_fault(a_form().field("title", "caf\xe9"), "title");
  expect_fault(a_form().field("title", std::string("a\0b", 3)), "title");
  expect_fault(a_form().field("note", std::string(text_bytes_max, 'x')),
               "too long");
  // The file itself is no text.
  EXPECT_EQ(
    fault_of(form_text{}
               .field("profile", "p")
               .file("f", "a.bin", std::string(text_bytes_max + 1, '\0'))),
    "");
}

TEST(poster_submission, a_file_without_a_name_takes_the_field_s) {
  const auto form = [](const char* name) {
    return form_text{}
      .field("profile", "papers")
      .field("file", "abc")
      .field("filename", name);
  };
  EXPECT_EQ(read_document(form("a.txt")).payloads.at(0).file_name, "a.txt");
  expect_fault(form(""), "file name");
}

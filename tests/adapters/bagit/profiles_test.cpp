#include "tests/adapters/bagit/bag_maker.hpp"

#include <cstdlib>

namespace depositd::bagit {

namespace {

const std::string identifier = "https://example.org/rules.json";

/// A profile with these members more.
std::string rules(const std::string& more) {
  return R"({"BagIt-Profile-Info": {"BagIt-Profile-Identifier": ")" + identifier
         + R"(", "Version": "1"}, "Accept-BagIt-Version": ["1.0"])"
         + (more.empty() ? "" : ", " + more) + "}";
}

class profiles : public with_bags {
protected:
  /// A good bag that names the profile, against it.
  bag_report against(const std::string& more, made_bag bag = {}) const {
    profile_set known;
    auto read = read_profile(rules(more));
    EXPECT_TRUE(read) << render(read.error());
    EXPECT_FALSE(known.add(std::move(*read)));
    bag.set("bag-info.txt", bag.text("bag-info.txt")
                              + "BagIt-Profile-Identifier: " + identifier
                              + "\n");
    return check(tar(bag), {.profile = {.known = &known}});
  }
};

/// What is shipped.
profile_set shipped() {
  const auto* folder = std::getenv("DEPOSITD_PROFILES");
  auto out = profile_set::from_folder(folder ? folder : "");
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : profile_set{};
}

/// As APTrust wants it.
made_bag aptrust_bag() {
  made_bag out;
  out.set("aptrust-info.txt",
          "Title: A title\nAccess: Institution\nStorage-Option: Standard\n");
  out.set("manifest-md5.txt", digest_text(digest_algorithm::md5, "one")
                                + "  data/one.txt\n"
                                + digest_text(digest_algorithm::md5, "two")
                                + "  data/two/deep.txt\n");
  return out;
}

} // namespace

TEST_F(profiles, a_bag_that_keeps_the_rules_is_valid) {
  const auto report = against(
    R"("Bag-Info": {"Source-Organization":
         {"required": true, "values": ["Somebody"], "repeatable": false}},
       "Manifests-Required": ["sha256"], "Manifests-Allowed": ["sha256"],
       "Tag-Files-Allowed": ["none*"], "Payload-Files-Allowed": ["data/*"],
       "Payload-Files-Required": ["data/one.txt", "data/two/"],
       "Serialization": "required",
       "Accept-Serialization": ["application/x-tar"])");
  expect_valid(report);
  EXPECT_EQ(report.profile, identifier);
}

TEST_F(profiles, each_rule_that_is_broken_is_named) {
  const auto breaks = [&](const std::string& more, finding_code code,
                          const std::string& file) {
    SCOPED_TRACE(more);
    expect_fault(against(more), code, file);
  };
  breaks(R"("Bag-Info": {"Contact-Name": {"required": true}})",
         finding_code::profile_tag_missing, "bag-info.txt");
  breaks(R"("Bag-Info": {"Source-Organization": {"values": ["Others"]}})",
         finding_code::profile_tag_value, "bag-info.txt");
  breaks(R"("Other-Info": [{"My-Info": {"X": {"required": true}}}])",
         finding_code::profile_tag_missing, "my-info.txt");
  breaks(R"("Manifests-Required": ["sha512"])", finding_code::profile_manifest,
         "manifest-sha512.txt");
  breaks(R"("Manifests-Allowed": ["sha512"])", finding_code::profile_manifest,
         "manifest-sha256.txt");
  breaks(R"("Tag-Manifests-Required": ["md5"])", finding_code::profile_manifest,
         "tagmanifest-md5.txt");
  breaks(R"("Tag-Files-Required": ["x.txt"])", finding_code::profile_tag_file,
         "x.txt");
  breaks(R"("Payload-Files-Required": ["data/x"])",
         finding_code::profile_payload, "data/x");
  breaks(R"("Payload-Files-Allowed": ["data/two/*"])",
         finding_code::profile_payload, "data/one.txt");
  breaks(R"("Data-Empty": true)", finding_code::profile_payload, "data");
  breaks(R"("Serialization": "forbidden")", finding_code::profile_serialization,
         "bag.tar");
  breaks(R"("Accept-Serialization": ["application/zip"])",
         finding_code::profile_serialization, "bag.tar");
  breaks(R"("Fetch.txt-Required": true)", finding_code::profile_fetch,
         "fetch.txt");
}

TEST_F(profiles, more_of_a_bag_than_is_allowed_is_named) {
  made_bag bag;
  bag.set("more.xml", "<x/>");
  expect_fault(against(R"("Tag-Files-Allowed": ["*.txt"])", bag),
               finding_code::profile_tag_file, "more.xml");
  bag = {};
  bag.set("fetch.txt", "");
  expect_fault(against(R"("Allow-Fetch.txt": false)", bag),
               finding_code::profile_fetch, "fetch.txt");
  bag = {};
  bag.set("bag-info.txt", "A: 1\nA: 2\nB:\n");
  expect_fault(against(R"("Bag-Info": {"A": {"repeatable": false}})", bag),
               finding_code::profile_tag_value, "bag-info.txt");
  expect_fault(against(R"("Bag-Info": {"B": {"emptyOk": false}})", bag),
               finding_code::profile_tag_value, "bag-info.txt");
  bag = {};
  bag.set("bagit.txt",
          "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n");
  expect_fault(against("", bag), finding_code::profile_version, "bagit.txt");
}

TEST_F(profiles, are_picked_by_the_collection_then_the_bag_then_the_rest) {
  const auto known = shipped();
  made_bag bag;
  bag.set("bag-info.txt", "BagIt-Profile-Identifier: http://unknown/\n");
  const auto path = tar(bag);
  expect_fault(check(path, {.profile = {.known = &known}}),
               finding_code::profile_unknown, "bag-info.txt");
  const auto by_collection =
    check(path, {.profile = {.known = &known, .of_collection = "btr"}});
  EXPECT_TRUE(by_collection.faults.has(finding_code::profile_tag_missing));
  EXPECT_FALSE(by_collection.faults.has(finding_code::profile_unknown));
  EXPECT_EQ(check_bag({path, ""},
                      {.profile = {.known = &known, .of_collection = "mine"}})
              .error(),
            ec::invalid_argument);
  bag.set("bag-info.txt", "");
  const auto plain = tar(bag);
  expect_valid(check(plain, {.profile = {.known = &known}}));
  EXPECT_FALSE(
    check(plain, {.profile = {.known = &known, .otherwise = "aptrust-2.3"}})
      .valid());
}

TEST_F(profiles, of_aptrust_want_title_access_and_a_known_storage) {
  const auto known = shipped();
  const auto with = [&](made_bag bag, const std::string& name) {
    return check(tar(bag),
                 {.profile = {.known = &known, .of_collection = name}});
  };
  expect_valid(with(aptrust_bag(), "aptrust-2.2"));
  expect_valid(with(aptrust_bag(), "aptrust-2.3"));
  const auto info = [](const std::string& text) {
    auto out = aptrust_bag();
    out.set("aptrust-info.txt", text);
    return out;
  };
  expect_fault(
    with(info("Access: Restricted\nStorage-Option: Standard\n"), "aptrust-2.2"),
    finding_code::profile_tag_missing, "aptrust-info.txt");
  expect_fault(
    with(info("Title:\nAccess: Restricted\nStorage-Option: Standard\n"),
         "aptrust-2.2"),
    finding_code::profile_tag_value, "aptrust-info.txt");
  expect_fault(
    with(info("Title: x\nAccess: Everybody\nStorage-Option: Standard\n"),
         "aptrust-2.2"),
    finding_code::profile_tag_value, "aptrust-info.txt");
  const auto texas =
    info("Title: x\nAccess: Consortia\nStorage-Option: Wasabi-TX\n");
  expect_fault(with(texas, "aptrust-2.2"), finding_code::profile_tag_value,
               "aptrust-info.txt");
  expect_valid(with(texas, "aptrust-2.3"));
  const auto no_storage = info("Title: x\nAccess: Consortia\n");
  expect_fault(with(no_storage, "aptrust-2.2"),
               finding_code::profile_tag_missing, "aptrust-info.txt");
  expect_valid(with(no_storage, "aptrust-2.3"));
  auto no_md5 = aptrust_bag();
  no_md5.remove("manifest-md5.txt");
  expect_fault(with(no_md5, "aptrust-2.3"), finding_code::profile_manifest,
               "manifest-md5.txt");
}

TEST_F(profiles, of_beyond_the_repository_want_dates_and_oxums) {
  const auto known = shipped();
  made_bag bag;
  const auto named = [&](const std::string& url) {
    bag.set("bag-info.txt", "Source-Organization: x\nBagging-Date: 2026-01-01\n"
                            "Payload-Oxum: 6.2\nBagIt-Profile-Identifier: "
                              + url + "\n");
    return check(tar(bag), {.profile = {.known = &known}});
  };
  for (const auto* url :
       {"https://github.com/dpscollaborative/btr_bagit_profile/releases/"
        "download/1.0/btr-bagit-profile.json",
        "https://raw.githubusercontent.com/dpscollaborative/btr_bagit_profile/"
        "master/btr-bagit-profile.json"})
    expect_valid(named(url));
}

TEST_F(profiles, that_make_no_sense_are_refused) {
  const auto wrong = [](const std::string& text) {
    EXPECT_EQ(read_profile(text).error(), ec::malformed) << text;
  };
  wrong("");
  wrong("[]");
  wrong("{}");
  wrong(R"({"BagIt-Profile-Info": {"Version": "1"}})");
  wrong(rules(R"("Serialization": "maybe")"));
  wrong(rules(R"("Manifests-Required": "md5")"));
  wrong(rules(R"("Manifests-Required": [1])"));
  wrong(rules(R"("Allow-Fetch.txt": 1)"));
  wrong(rules(R"("Bag-Info": {"X": true})"));
  wrong(rules(R"("Other-Info": {})"));
  wrong(rules(R"("Manifests-Required": ["md5"], "Manifests-Allowed": ["x"])"));
  wrong(rules(R"("Allow-Fetch.txt": false, "Fetch.txt-Required": true)"));
  profile_set known;
  EXPECT_FALSE(known.add(*read_profile(rules(""))));
  EXPECT_EQ(known.add(*read_profile(rules(""))), ec::already_exists);
  EXPECT_EQ(profile_set::from_folder(home.path() / "none").error(),
            ec::not_found);
  std::ofstream{home.path() / "x.json"} << "{}";
  EXPECT_EQ(profile_set::from_folder(home.path()).error(), ec::malformed);
}

} // namespace depositd::bagit

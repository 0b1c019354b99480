#include "config/shipped_pipelines.hpp"
#include "tests/config/read_settings.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace depositd::work_settings_test {
namespace {

using testing::refusal_of;
using testing::settings_of;

TEST(work_settings, reach_their_fields) {
  const auto x =
    settings_of("pipelines: {folder: /etc/pipelines}\n"
                "work: {folder: /srv/work, free_min_mb: 7}\n"
                "storage:\n"
                "  vault.1: {path: /srv/vault}\n"
                "mail: {smtp: 'mail.example.org:25', from: me@here}\n"
                "fetch: {allow: ['127.0.0.1:8000', 'files.here:80'],\n"
                "        rate_min: 65536}\n"
                "minter: {kind: http, url: 'https://m/shoulder/x'}\n"
                "estimate: {unknown_penalty: 3, sizes: ['10:5']}\n");
  EXPECT_EQ(x.pipelines.folder, "/etc/pipelines");
  EXPECT_EQ(x.work.folder, "/srv/work");
  EXPECT_EQ(x.work.free_min_mb, 7u);
  ASSERT_EQ(x.storage.size(), 2u);
  EXPECT_EQ(x.storage.at("vault.1").path, "/srv/vault");
  EXPECT_EQ(x.storage.at("local"), storage_settings{});
  EXPECT_EQ(x.mail.smtp, "mail.example.org:25");
  EXPECT_EQ(x.mail.from, "me@here");
  EXPECT_EQ(x.fetch.allow, (std::vector<endpoint>{{"127.0.0.1", 8'000},
                                                  {"files.here", 80}}));
  EXPECT_EQ(x.fetch.rate_min, 65'536u);
  EXPECT_EQ(x.minter.kind, minter_kind::http);
  EXPECT_EQ(x.minter.url, "https://m/shoulder/x");
  EXPECT_EQ(x.estimate.unknown_penalty, 3u);
  ASSERT_EQ(x.estimate.sizes.size(), 1u);
  EXPECT_EQ(x.estimate.sizes[0].bytes_min, 10u << 20);
  EXPECT_EQ(x.estimate.sizes[0].penalty, 5u);
}

TEST(work_settings, of_mail_and_reviews_reach_their_fields) {
  const auto x =
    settings_of("mail: {smtp: 'h:587', from: me@here, tls: starttls,\n"
                "  ca: /dev/null, user: depositd,\n"
                "  reports_bcc: [root@here]}\n"
                "reviews: {mail_to: [a@here, b@here],\n"
                "  webhook: 'https://hook/x', interval_s: 60}\n");
  EXPECT_EQ(x.mail.tls, mail_tls::starttls);
  EXPECT_EQ(x.mail.ca, "/dev/null");
  EXPECT_EQ(x.mail.user, "depositd");
  EXPECT_EQ(x.mail.reports_bcc, std::vector<std::string>{"root@here"});
  EXPECT_EQ(x.reviews.mail_to, (std::vector<std::string>{"a@here", "b@here"}));
  EXPECT_EQ(x.reviews.webhook, "https://hook/x");
  EXPECT_EQ(x.reviews.interval_s, 60u);
}

TEST(work_settings, that_are_wrong_are_refused_by_key_and_line) {
  const std::vector<std::pair<std::string, std::string>> cases = {
    {"storage: {s: {kind: tape}}", "storage.s.kind: must be one of folder, s3"},
    {"storage: {s: {kind: s3, bucket: b}}", "storage.s.endpoint: must begin"},
    {"storage: {s: {kind: s3, endpoint: 'http://h', bucket: B}}",
     "storage.s.bucket: must be a bucket's name"},
    {"storage: {s: {kind: s3, endpoint: 'http://h', bucket: buck, path: /x}}",
     "storage.s.path: is for the kind folder"},
    {"storage: {s: {kind: s3, endpoint: 'http://h', bucket: buck, prefix: /}}",
     "storage.s.prefix: "},
    {"storage: {s: {kind: s3, endpoint: 'http://h', bucket: buck, region: a "
     "b}}",
     "storage.s.region: must be a region"},
    {"storage: {s: {kind: s3, endpoint: 'http://10.0.0.1:9000', bucket: buck}}",
     "storage.s.path_style: must be true"},
    {"storage: {s: {kind: s3, endpoint: 'http://h', bucket: buck}}",
     "storage.s.access_key_file: is needed"},
    {"blobs: {kind: tape}", "blobs.kind: must be one of store, folder"},
    {"blobs: {kind: s3}", "blobs.endpoint: must begin"},
    {"blobs: {kind: postgres}", "blobs.kind: postgres needs store.kind"},
    {"blobs: {path: /x}", "blobs.path: is for the kind folder"},
    {"blobs: {region: eu-west-1}", "blobs.region: is for the kind s3"},
    {"store: {kind: memory}\nblobs: {kind: folder}", "blobs.path: is needed"},
    {"storage: {s: {kind: folder}}", "storage.s.path: is needed"},
    {"storage: {local: {bucket: b}}", "storage.local.bucket: is for the kind"},
    {"storage: {s: {speed: 1}}", "known: kind, path"},
    {"storage: {'..': {path: /x}}", "no name of a storage"},
    {"storage: 7", "unknown key storage"},
    {"mail: {smtp: nowhere, from: a@b}", "mail.smtp: \"nowhere\" is not HOST"},
    {"mail: {smtp: 'h:25'}", "mail.from: an address is needed"},
    {"mail: {smtp: 'h:25', from: me}", "mail.from: \"me\" is not NAME@HOST"},
    {"mail: {from: 'a@b c'}", "mail.from: \"a@b c\" has a character that"},
    {"mail: {smtp: 'h:25', from: 'a@b c'}", "mail.from: \"a@b c\" has a"},
    {"mail: {from: me}", "mail.from: \"me\" is not NAME@HOST"},
    {"mail: {smtp: 'h:25', from: a@b, tls: ssl}", "mail.tls: must be one of"},
    {"mail: {smtp: 'h:25', from: a@b, user: u}", "mail.user: needs mail.tls"},
    {"mail: {reports_bcc: [a@b]}", "mail.reports_bcc: needs mail.smtp"},
    {"mail: {smtp: 'h:25', from: a@b, reports_bcc: [me]}",
     "mail.reports_bcc: \"me\" is not NAME@HOST"},
    {"mail: {smtp: 'h:25', from: a@b, reports_bcc: [a@b, 'c d@e']}",
     "mail.reports_bcc: \"c d@e\" has a character"},
    {"{mail: {smtp: 'h:25', from: a@b}, reviews: {mail_to: [a@b@c]}}",
     "reviews.mail_to: \"a@b@c\" is not NAME@HOST"},
    {"reviews: {mail_to: [a@b]}", "reviews.mail_to: needs mail.smtp"},
    {"reviews: {webhook: 'ftp://x'}", "reviews.webhook: must be an address"},
    {"reviews: {webhook: 'http://'}", "reviews.webhook: must be an address"},
    {"reviews: {interval_s: 0}", "reviews.interval_s: must be a number"},
    {"fetch: {allow: ['host']}", "fetch.allow: must be a list of HOST:PORT"},
    {"fetch: {rate_min: 0}", "fetch.rate_min: must be a number from 1"},
    {"fetch: {allow: ['host:0']}", "fetch.allow: must be a list of HOST:PORT"},
    {"minter: {kind: noid}", "minter.kind: must be one of local, http"},
    {"minter: {kind: http}", "minter.url: an address of http or https"},
    {"minter: {kind: http, url: 'ftp://x'}", "minter.url: an address"},
    {"minter: {kind: http, url: 'http://a b'}", "minter.url: an address"},
    {"work: {free_min_mb: -1}", "work.free_min_mb: must be a number"},
    {"estimate: {unknown_penalty: 100}", "from 0 to 99"},
    {"estimate: {sizes: ['10']}", "estimate.sizes: must be a list of MB:PEN"},
    {"estimate: {sizes: ['10:100']}", "estimate.sizes: must be a list of"},
    {"estimate: {sizes: ['x:1']}", "estimate.sizes: must be a list of"},
  };
  for (const auto& [yaml, expected] : cases) {
    const auto why = refusal_of(yaml);
    EXPECT_NE(why.find(expected), std::string::npos) << yaml << "\n" << why;
    if (expected.find("is needed") == std::string::npos
        && expected.find("address is needed") == std::string::npos
        && expected.find("of http or https") == std::string::npos
        && expected.find("endpoint: must begin") == std::string::npos
        && expected.find("path_style: must be true") == std::string::npos) {
      EXPECT_NE(why.find("test.yaml:1"), std::string::npos) << why;
    }
  }
}

/// Keys of a bucket, in files.
class bucket_settings : public ::testing::Test {
protected:
  bucket_settings() {
    std::ofstream{access()} << "AK1\n";
    std::ofstream{secret()} << "se+cret/1\nmore\n";
    for (const auto& file : {access(), secret()})
      std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  }

  std::string access() const {
    return (home_.path() / "access").string();
  }

  std::string secret() const {
    return (home_.path() / "secret").string();
  }

  /// What follows a kind.
  std::string place() const {
    return "endpoint: 'https://s3.example', bucket: kept, "
           "region: eu-west-1, access_key_file: "
           + access() + ", secret_key_file: " + secret();
  }

  temporary_folder home_;
};

TEST_F(bucket_settings, have_their_keys_from_files) {
  const auto x =
    settings_of("storage: {vault: {kind: s3, prefix: a/b, " + place()
                + "}}\nblobs: {kind: s3, prefix: a/bc, path_style: true, "
                + place() + "}\n");
  const auto& vault = x.storage.at("vault");
  EXPECT_EQ(vault.kind, storage_kind::s3);
  EXPECT_EQ(vault.s3.endpoint, "https://s3.example");
  EXPECT_EQ(vault.s3.bucket, "kept");
  EXPECT_EQ(vault.s3.prefix, "a/b");
  EXPECT_EQ(vault.s3.region, "eu-west-1");
  EXPECT_FALSE(vault.s3.path_style);
  EXPECT_EQ(vault.s3.access_key, "AK1");
  EXPECT_EQ(vault.s3.secret_key, "se+cret/1");
  EXPECT_EQ(x.blobs.kind, blobs_kind::s3);
  EXPECT_TRUE(x.blobs.s3.path_style);
  EXPECT_EQ(x.blobs.s3.secret_key, "se+cret/1");
  EXPECT_TRUE(x.remarks.empty()) << x.remarks.front();
}

TEST(work_settings, storage_in_folders_is_apart) {
  for (const std::string path :
       {"/v/a", "/v/a/", "/v/b/../a", "/v/a/b", "/v"}) {
    const auto why =
      refusal_of("storage: {s: {path: /v/a}, t: {path: " + path + "}}");
    EXPECT_EQ(why.find("storage.t.path: is not apart from storage.s.path"), 0u)
      << path << ": " << why;
  }
  EXPECT_EQ(refusal_of("data: {folder: /d}\nstorage: {s: {path: /d/objects}}")
              .find("storage.s.path: is not apart from storage.local.path"),
            0u);
  EXPECT_EQ(refusal_of("storage: {s: {path: /v}}\n"
                       "aptrust: {receiving: {a: {path: /v/in}}}")
              .find("aptrust.receiving.a.path: is not apart from "),
            0u);
  settings_of("storage: {s: {path: /v/a}, t: {path: /v/ab}}");
  settings_of("aptrust: {receiving: {a: {path: /v/in}, b: {path: /v/in}}}");
}

TEST(work_settings, what_is_given_back_is_apart_from_storage_and_what_comes) {
  EXPECT_EQ(refusal_of("storage: {s: {path: /v}}\n"
                       "restoration: {ann: {path: /v/back}}")
              .find("restoration.ann.path: is not apart from storage.s.path"),
            0u);
  EXPECT_EQ(refusal_of("aptrust: {receiving: {a: {path: /in}}}\n"
                       "restoration: {default: {path: /in}}")
              .find("restoration.default.path: is not apart from "
                    "aptrust.receiving.a.path"),
            0u);
  EXPECT_EQ(refusal_of("data: {folder: /d}\n"
                       "aptrust: {receiving: {a: {path: /d/restored/a}}}")
              .find("restoration.default.path: is not apart from "),
            0u);
  settings_of("restoration: {default: {path: /r}, ann: {path: /r/ann}}");
}

TEST_F(bucket_settings, are_refused_if_one_is_inside_another) {
  for (const auto* prefix : {"a/b", "a/b/c", "a", "''"}) {
    const auto why = refusal_of("storage: {vault: {kind: s3, prefix: a/b, "
                                + place() + "}}\nblobs: {kind: s3, prefix: "
                                + prefix + ", " + place() + "}\n");
    EXPECT_TRUE(why.starts_with("storage.vault.prefix: is not apart from "
                                "blobs.prefix"))
      << prefix << ": " << why;
  }
}

TEST_F(bucket_settings, remark_on_keys_that_others_may_read) {
  std::filesystem::permissions(secret(), std::filesystem::perms{0644});
  const auto x = settings_of("storage: {vault: {kind: s3, " + place() + "}}");
  ASSERT_EQ(x.remarks.size(), 1u);
  EXPECT_TRUE(x.remarks[0].starts_with("storage.vault.secret_key_file: others"))
    << x.remarks[0];
}

TEST_F(bucket_settings, are_refused_without_the_file_and_never_show_a_key) {
  std::filesystem::remove(access());
  const auto why = refusal_of("storage: {vault: {kind: s3, " + place() + "}}");
  EXPECT_NE(why.find("storage.vault.access_key_file: no text in"),
            std::string::npos)
    << why;
  EXPECT_EQ(why.find("se+cret"), std::string::npos);
}

TEST(work_settings, say_nothing_with_sections_that_are_empty) {
  EXPECT_EQ(settings_of("storage:\nmail:\nfetch:\nestimate:\n"),
            depositd_settings{});
}

// -- the pipelines that they lead to ------------------------------------------

TEST(pipelines_of_settings, are_those_of_the_program_without_a_folder) {
  const auto found = pipelines_of({}, {built_in_handlers()});
  ASSERT_TRUE(found) << render(found.error());
  std::map<std::string, std::size_t> stages;
  for (const auto& one : found->pipelines)
    stages[one.name] = one.stages.size();
  EXPECT_EQ(stages.size(), found->pipelines.size());
  EXPECT_EQ(stages["aptrust"], 9u);
  EXPECT_EQ(stages["merritt"], 9u);
}

TEST(pipelines_of_settings, in_the_program_are_all_that_are_shipped) {
  const auto shipped =
    read_pipelines(DEPOSITD_PIPELINES_FOLDER, {built_in_handlers()});
  ASSERT_TRUE(shipped) << render(shipped.error());
  const auto found = pipelines_of({}, {built_in_handlers()});
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_EQ(found->pipelines, *shipped);
}

TEST(pipelines_of_settings, are_those_of_the_folder_that_is_named) {
  const temporary_folder folder;
  std::ofstream{folder.path() / "quick.yaml"}
    << "order: [one]\nstages: {one: {handler: noop}}\n";
  depositd_settings settings;
  settings.pipelines.folder = folder.path().string();
  const auto found = pipelines_of(settings, {built_in_handlers()});
  ASSERT_TRUE(found) << render(found.error());
  ASSERT_EQ(found->pipelines.size(), 1u);
  EXPECT_EQ(found->pipelines[0].name, "quick");
}

TEST(pipelines_of_settings, must_be_readable) {
  depositd_settings settings;
  settings.pipelines.folder = "/no/such/folder";
  const auto found = pipelines_of(settings, {built_in_handlers()});
  ASSERT_FALSE(found);
  EXPECT_NE(render(found.error()).find("pipelines.folder"), std::string::npos);
}

TEST(pipelines_of_settings, share_no_queue_with_the_settings) {
  for (const auto* name : {"merritt.download", "merritt.batch"}) {
    depositd_settings settings;
    settings.queues[name] = {};
    const auto found = pipelines_of(settings, {built_in_handlers()});
    ASSERT_FALSE(found) << name;
    EXPECT_NE(render(found.error()).find(std::string{"queues."} + name),
              std::string::npos);
  }
}

} // namespace
} // namespace depositd::work_settings_test

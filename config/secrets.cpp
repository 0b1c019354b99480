#include "config/secrets.hpp"

#include "config/setting_values.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/next_line.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace depositd {

namespace {

/// Where systemd has put the credential; empty if it has not.
std::string credential(const std::string& name) {
  const auto* folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (folder == nullptr)
    return {};
  auto path = std::filesystem::path{folder} / name;
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path.string() : "";
}

bool others_may_read(const std::string& path) {
  using std::filesystem::perms;
  std::error_code failed;
  const auto mode = std::filesystem::status(path, failed).permissions();
  return !failed
         && (mode & (perms::group_all | perms::others_all)) != perms::none;
}

caf::error read_secret(const std::string& setting, const std::string& path,
                       std::string& to) {
  std::ifstream file{path};
  to = next_line(file);
  return to.empty() ? bad_setting(setting + ": no text in \"" + path + "\"")
                    : caf::error{};
}

/// One of these settings; `text` is null where the file alone counts.
struct secret_place {
  std::string name;
  std::string* file;
  std::string* text;
};

/// Those of the table, and those of each storage.
std::vector<secret_place> secrets_in(depositd_settings& x) {
  std::vector<secret_place> out;
  for (const auto& secret : secret_table())
    out.push_back(
      {secret.name, &secret.file(x), secret.text ? &secret.text(x) : nullptr});
  for (auto& [name, target] : x.storage) {
    const auto key = "storage." + name + ".";
    auto& s3 = target.s3;
    out.push_back({key + "access_key", &s3.access_key_file, &s3.access_key});
    out.push_back({key + "secret_key", &s3.secret_key_file, &s3.secret_key});
  }
  for (auto& [name, target] : x.restoration) {
    const auto key = "restoration." + name + ".";
    auto& s3 = target.s3;
    out.push_back({key + "access_key", &s3.access_key_file, &s3.access_key});
    out.push_back({key + "secret_key", &s3.secret_key_file, &s3.secret_key});
  }
  for (auto& [name, place] : x.aptrust.receiving) {
    const auto key = "aptrust.receiving." + name + ".";
    auto& s3 = place.s3;
    out.push_back({key + "access_key", &s3.access_key_file, &s3.access_key});
    out.push_back({key + "secret_key", &s3.secret_key_file, &s3.secret_key});
  }
  return out;
}

bool is_uri(const std::string& url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

std::string percent_encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')) {
      out += c;
      continue;
    }
    out += '%';
    append_hex(out, c);
  }
  return out;
}

} // namespace

const std::vector<secret_key>& secret_table() {
  using settings = depositd_settings;
  static const std::vector<secret_key> table{
    {"store.url", [](settings& x) -> std::string& { return x.store.url_file; },
     [](settings& x) -> std::string& { return x.store.url; }},
    {"store.password",
     [](settings& x) -> std::string& { return x.store.password_file; },
     [](settings& x) -> std::string& { return x.store.password; }},
    {"kafka.sasl.password",
     [](settings& x) -> std::string& { return x.kafka.sasl.password_file; },
     nullptr},
    {"mail.password",
     [](settings& x) -> std::string& { return x.mail.password_file; },
     [](settings& x) -> std::string& { return x.mail.password; }},
    {"reviews.webhook_key",
     [](settings& x) -> std::string& { return x.reviews.webhook_key_file; },
     [](settings& x) -> std::string& { return x.reviews.webhook_key; }},
    {"kafka.tls.key_password",
     [](settings& x) -> std::string& { return x.kafka.key_password_file; },
     [](settings& x) -> std::string& { return x.kafka.key_password; }},
    {"blobs.access_key",
     [](settings& x) -> std::string& { return x.blobs.s3.access_key_file; },
     [](settings& x) -> std::string& { return x.blobs.s3.access_key; }},
    {"blobs.secret_key",
     [](settings& x) -> std::string& { return x.blobs.s3.secret_key_file; },
     [](settings& x) -> std::string& { return x.blobs.s3.secret_key; }},
  };
  return table;
}

caf::error read_secrets(depositd_settings& to) {
  for (const auto& secret : secrets_in(to)) {
    auto& file = *secret.file;
    const auto setting = secret.name + "_file";
    const bool named = !file.empty();
    // What the settings say themselves wins over a credential.
    if (!named && (!secret.text || secret.text->empty()))
      file = credential(secret.name);
    if (file.empty())
      continue;
    if (named && secret.text && !secret.text->empty())
      return bad_setting(setting + ": " + secret.name + " is given too");
    if (secret.text)
      if (auto failure = read_secret(setting, file, *secret.text))
        return failure;
    if (others_may_read(file))
      to.remarks.push_back(setting + ": others may read \"" + file + "\"");
  }
  if (!to.store.password.empty())
    to.store.url = with_password(std::move(to.store.url), to.store.password);
  return caf::none;
}

std::string with_password(std::string url, const std::string& password) {
  if (is_uri(url)) {
    url += url.find('?') == std::string::npos ? '?' : '&';
    return url + "password=" + percent_encoded(password);
  }
  url += " password='";
  for (const char c : password) {
    if (c == '\'' || c == '\\')
      url += '\\';
    url += c;
  }
  return url + '\'';
}

} // namespace depositd

#include "config/work_settings.hpp"

#include "config/places_apart.hpp"
#include "config/s3_settings.hpp"
#include "config/setting_fields.hpp"

#include "adapters/notifying/mail_headers.hpp"
#include "messages/values/names.hpp"

#include <algorithm>
#include <charconv>

namespace depositd {

namespace {

using setting_fields::field;
using setting_fields::number;
using setting_fields::text;
using settings = depositd_settings;

constexpr std::size_t storage_max = 64;
constexpr std::size_t allowed_max = 1'000;
constexpr std::size_t sizes_max = 32;
constexpr std::size_t addresses_max = 20;
constexpr std::uint64_t mb_max = 1'000'000'000;

/// Hosts with ports, as URLs name them.
caf::error read_allowed(settings& to, const given_setting& x) {
  return read_endpoints(x, allowed_max, to.fetch.allow);
}

bool read_part(std::string_view text, std::uint64_t max, std::uint64_t& out) {
  const auto [stop, failure] =
    std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && failure == std::errc{}
         && stop == text.data() + text.size() && out <= max;
}

/// MB:PENALTY, as in 1024:10.
caf::error read_sizes(settings& to, const given_setting& x) {
  std::vector<std::string> texts;
  if (auto failure = read_names(x, texts))
    return failure;
  std::vector<size_penalty> out;
  for (const std::string_view text : texts) {
    const auto colon = text.find(':');
    std::uint64_t mb = 0;
    std::uint64_t penalty = 0;
    if (colon == text.npos || !read_part(text.substr(0, colon), mb_max, mb)
        || !read_part(text.substr(colon + 1), priority_last, penalty))
      return bad_setting("must be a list of MB:PENALTY, with penalties of 0 to "
                         "99");
    out.push_back({mb << 20, static_cast<std::uint32_t>(penalty)});
  }
  if (out.size() > sizes_max)
    return bad_setting("must have at most " + std::to_string(sizes_max)
                       + " entries");
  to.estimate.sizes = std::move(out);
  return caf::none;
}

setting_fault check_target(const std::string& name, const storage_settings& x) {
  return check_place("storage." + name + ".", x.kind == storage_kind::s3,
                     x.path, x.s3,
                     name == "local" ? nullptr : "the folder of this storage");
}

/// A mail with such an address would never be sent, to nobody else either.
std::string fault_of_address(const std::string& address) {
  const auto fault = address_fault(address);
  return fault.empty() ? fault
                       : "\"" + address.substr(0, 100) + "\" " + fault;
}

/// What is wrong with who is written to, and how.
setting_fault check_mail(const depositd_settings& x) {
  const auto& mail = x.mail;
  if (!mail.smtp.empty() && !parse_endpoint(mail.smtp))
    return {"mail.smtp",
            "\"" + mail.smtp.substr(0, 100) + "\" is not HOST:PORT"};
  if (!mail.smtp.empty() && mail.from.empty())
    return {"mail.from", "an address is needed to send mail from"};
  if (const auto fault = fault_of_address(mail.from);
      !mail.from.empty() && !fault.empty())
    return {"mail.from", fault};
  if (!mail.user.empty() && mail.tls == mail_tls::none)
    return {"mail.user", "needs mail.tls: a password is not sent where others "
                         "can read it"};
  for (const auto& [key, all] :
       {std::pair{"mail.reports_bcc", mail.reports_bcc},
        std::pair{"reviews.mail_to", x.reviews.mail_to}}) {
    if (!all.empty() && mail.smtp.empty())
      return {key, "needs mail.smtp"};
    if (all.size() > addresses_max)
      return {key, "must have at most " + std::to_string(addresses_max)
                     + " addresses"};
    for (const auto& address : all)
      if (const auto fault = fault_of_address(address); !fault.empty())
        return {key, fault};
  }
  if (!x.reviews.webhook.empty() && !legal_web_address(x.reviews.webhook))
    return {"reviews.webhook", "must be an address of http or https"};
  return {};
}

} // namespace

std::vector<setting_key> work_keys() {
  using estimates = estimate_settings;
  return {
    {"pipelines.folder",
     text(&settings::pipelines, &pipelines_settings::folder)},
    {"work.folder", text(&settings::work, &work_settings::folder)},
    {"work.free_min_mb",
     number(0, 1'000'000'000, &settings::work, &work_settings::free_min_mb)},
    {"mail.smtp", text(&settings::mail, &mail_settings::smtp)},
    {"mail.from", text(&settings::mail, &mail_settings::from)},
    {"mail.tls",
     [](settings& to, const given_setting& x) {
       return read_word<mail_tls>(x,
                                  {{"none", mail_tls::none},
                                   {"starttls", mail_tls::starttls},
                                   {"smtps", mail_tls::smtps}},
                                  to.mail.tls);
     }},
    {"mail.ca", text(&settings::mail, &mail_settings::ca)},
    {"mail.user", text(&settings::mail, &mail_settings::user)},
    {"mail.password_file",
     text(&settings::mail, &mail_settings::password_file)},
    {"mail.reports_bcc",
     field(read_names, &settings::mail, &mail_settings::reports_bcc)},
    {"reviews.mail_to",
     field(read_names, &settings::reviews, &review_settings::mail_to)},
    {"reviews.webhook", text(&settings::reviews, &review_settings::webhook)},
    {"reviews.webhook_key_file",
     text(&settings::reviews, &review_settings::webhook_key_file)},
    {"reviews.interval_s",
     number(1, 604'800, &settings::reviews, &review_settings::interval_s)},
    {"reviews.stage_age_s",
     number(0, 31'536'000, &settings::reviews, &review_settings::stage_age_s)},
    {"fetch.allow", read_allowed},
    {"fetch.rate_min", number(1, 1'000'000'000, &settings::fetch,
                              &fetch_settings::rate_min)},
    {"minter.kind",
     [](settings& to, const given_setting& x) {
       return read_word<minter_kind>(
         x, {{"local", minter_kind::local}, {"http", minter_kind::http}},
         to.minter.kind);
     }},
    {"minter.url", text(&settings::minter, &minter_settings::url)},
    {"estimate.unknown_penalty", number(0, priority_last, &settings::estimate,
                                        &estimates::unknown_penalty)},
    {"estimate.sizes", read_sizes},
  };
}

const std::vector<storage_setting_key>& storage_setting_table() {
  using target = storage_settings;
  static const auto table = [] {
    std::vector<storage_setting_key> out{
      {"kind",
       [](target& to, const given_setting& x) {
         return read_word<storage_kind>(
           x, {{"folder", storage_kind::folder}, {"s3", storage_kind::s3}},
           to.kind);
       }},
      {"path", text(&target::path)},
      {"cold", [](target& to,
                  const given_setting& x) { return read_flag(x, to.cold); }},
    };
    add_s3_keys(&target::s3, [&](const char* name, auto read) {
      out.push_back({name, read});
    });
    return out;
  }();
  return table;
}

caf::error read_storage(depositd_settings& out, const given_setting& x) {
  const auto rest = x.key.substr(x.key.find('.') + 1);
  const auto dot = rest.rfind('.');
  const auto name = rest.substr(0, dot);
  if (!legal_user_name(name))
    return bad_setting("\"" + name.substr(0, 64)
                       + "\" is no name of a storage");
  auto& target = out.storage[name];
  if (out.storage.size() > storage_max)
    return bad_setting("there are more than " + std::to_string(storage_max));
  if (dot == std::string::npos && x.empty)
    return caf::none;
  const auto field = dot == std::string::npos ? "" : rest.substr(dot + 1);
  std::string known;
  for (const auto& key : storage_setting_table()) {
    if (field == key.name)
      return key.read(target, x);
    known += (known.empty() ? "" : ", ") + std::string{key.name};
  }
  return bad_setting("there is no such key of a storage; known: " + known);
}

setting_fault check_work(const depositd_settings& x) {
  for (const auto& [name, target] : x.storage)
    if (auto wrong = check_target(name, target); !wrong.key.empty())
      return wrong;
  for (auto wrong : {check_blobs(x), check_apart(x), check_mail(x)})
    if (!wrong.key.empty())
      return wrong;
  if (x.minter.kind == minter_kind::http && !legal_web_address(x.minter.url))
    return {"minter.url",
            "an address of http or https is needed when minter.kind is http"};
  return {};
}

} // namespace depositd

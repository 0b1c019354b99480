#include "adapters/sources/web/s3_reader.hpp"

#include "adapters/sources/records/interruptible_reader.hpp"
#include "adapters/sources/web/credentials.hpp"
#include "adapters/sources/web/transport.hpp"
#include "adapters/stores/s3/documents.hpp"
#include "adapters/stores/s3/place.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/utf8.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace depositd::sources {

namespace {

/// A list has no more at once.
constexpr std::uint64_t keys_per_list_max = 1'000;

/// No key is longer, so no prefix is.
constexpr std::size_t object_key_bytes_max = 1'024;

/// Of no bytes; S3 wants it with what is signed.
constexpr const char* nothing_digest =
  "x-amz-content-sha256: "
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Before a cursor that is not the key itself.
constexpr std::string_view coded_mark = "percent-encoded:";

std::string cursor_of_key(const std::string& key) {
  const bool plain =
    find_invalid_utf8(key) == key.npos && !key.starts_with(coded_mark);
  return plain ? key : std::string{coded_mark} + s3::encoded(key, true);
}

std::string key_of_cursor(std::string_view cursor) {
  if (!cursor.starts_with(coded_mark))
    return std::string{cursor};
  return s3::decoded(cursor.substr(coded_mark.size()));
}

class s3_reader final : public interruptible_reader {
public:
  s3_reader(source_origin from, s3_place place, record_rules rules)
    : from_(std::move(from)), place_(std::move(place)),
      rules_(std::move(rules)), line_(place_.ca_file, interruption_) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override;

private:
  /// Where a list goes on.
  struct list_place {
    std::string behind; ///< a key
    std::string token;  ///< of a list that had none; else empty
  };

  caf::expected<s3::listing> list(const list_place& from, std::uint64_t count,
                                  const aws_signer& signer,
                                  const allowance& time);
  caf::error refused(const web_reply& said, const aws_signer& signer) const;

  /// `at` is the key of the last object, which moves on.
  caf::error take(const s3::listed& x, std::string& at, pulled_batch& to,
                  gathering& sum) const;
  std::string body_of_object(const s3::listed& x) const;

  /// Nothing has come in the time for it, and the list goes on.
  caf::error nothing_yet(const std::string& cursor, std::string token,
                         const batch_request& x);

  const source_origin from_;
  const s3_place place_;
  const record_rules rules_;
  web_line line_;
  /// Where a list goes on that had no keys behind a cursor for long: each call
  /// would begin it anew, and never come further.
  std::string listed_behind_;
  std::string listed_to_; ///< a token; empty: there is no such list
};

caf::error s3_reader::refused(const web_reply& said,
                              const aws_signer& signer) const {
  const auto why = s3::read_refusal(said.body);
  auto text = "S3 answers with " + std::to_string(said.status);
  if (!why.code.empty())
    text += ": " + why.code;
  if (!why.message.empty())
    text += " (" + why.message + ")";
  if (!why.region.empty())
    text += "; the region is " + why.region;
  return caf::make_error(why.code == "NoSuchBucket" ? ec::not_found
                                                    : ec::store_failed,
                         quoted_reason(text, {signer.secret_key}));
}

caf::expected<s3::listing> s3_reader::list(const list_place& from,
                                           std::uint64_t count,
                                           const aws_signer& signer,
                                           const allowance& time) {
  // As signatures want it: names in their order.
  auto query = "encoding-type=url&list-type=2&max-keys=" + std::to_string(count)
               + "&prefix=" + s3::encoded(from_.prefix, false);
  if (!from.token.empty())
    query =
      "continuation-token=" + s3::encoded(from.token, false) + "&" + query;
  else if (!from.behind.empty())
    query += "&start-after=" + s3::encoded(from.behind, false);
  web_question x;
  x.url = s3::url_of(place_, "", query);
  x.headers = {nothing_digest};
  x.signer = signer;
  const auto said = line_.ask(x, time);
  if (!said)
    return said.error();
  if (said->status != 200)
    return refused(*said, signer);
  auto out = s3::read_listing(said->body);
  if (!out)
    return caf::make_error(ec::malformed, render(out.error()));
  return out;
}

std::string s3_reader::body_of_object(const s3::listed& x) const {
  nlohmann::ordered_json out;
  out["bucket"] = from_.bucket;
  out["key"] = x.key;
  out["size"] = x.bytes;
  out["etag"] = x.etag;
  out["modified_at"] = x.modified;
  return json_text(out);
}

caf::error s3_reader::take(const s3::listed& x, std::string& at,
                           pulled_batch& to, gathering& sum) const {
  if (x.key <= at || !x.key.starts_with(from_.prefix))
    return caf::make_error(ec::malformed,
                           "the server does not list keys in the order of "
                           "their bytes, or others than those asked for");
  at = x.key;
  to.cursor = cursor_of_key(at);
  to.has_cursor = true;
  // Consoles and some servers show folders as keys of nothing.
  if (x.key.ends_with('/') && x.bytes == 0)
    return {};
  if (find_invalid_utf8(x.key) != x.key.npos) {
    add_bad(to, x.key, "the key is not UTF-8");
    return {};
  }
  auto body = body_of_object(x);
  sum.took(body.size());
  add_record(to, rules_, x.key, std::move(body), to.cursor);
  return {};
}

caf::error s3_reader::nothing_yet(const std::string& cursor, std::string token,
                                  const batch_request& x) {
  listed_behind_ = cursor;
  listed_to_ = std::move(token);
  return caf::make_error(ec::store_failed,
                         "the server's list had no keys for half of timeout_ms "
                           + std::to_string(x.timeout.count())
                           + ", and goes on");
}

caf::expected<pulled_batch> s3_reader::next_batch(const batch_request& x) {
  const interruption::call call{interruption_};
  const auto signer = aws_signer_of(from_, "s3");
  if (!signer)
    return signer.error();
  const allowance time{x.timeout};
  gathering sum{x};
  pulled_batch out;
  out.cursor = x.cursor;
  out.has_cursor = !x.cursor.empty();
  auto at = key_of_cursor(x.cursor);
  // Whatever goes wrong now, the next call begins anew.
  auto token = std::exchange(listed_to_, {});
  if (listed_behind_ != x.cursor)
    token.clear();
  do {
    const auto behind = at;
    const auto count = std::min(sum.room(out), keys_per_list_max);
    const bool first = out.records.empty() && out.bad.empty();
    auto some =
      list({behind, token}, count, *signer, first ? time : sum.rest());
    if (!some && (first || interruption_.cancelled()))
      return std::move(some.error());
    if (!some)
      break;
    for (const auto& one : some->entries)
      // Some servers begin with the one that they should begin behind.
      if (one.key != behind)
        if (auto wrong = take(one, at, out, sum))
          return wrong;
    if (some->next.empty()) {
      token.clear();
      break;
    }
    // A list may be empty and yet not the last: where much was removed.
    if (at != behind)
      token.clear();
    else if (std::exchange(token, some->next) == some->next)
      return caf::make_error(ec::malformed, "the server's list has no end");
  } while (!sum.is_enough(out));
  if (!token.empty() && out.cursor == x.cursor)
    return nothing_yet(x.cursor, std::move(token), x);
  return out;
}

caf::expected<s3_place> place_of(const source_origin& x,
                                 const reader_context& in) {
  s3_place out;
  out.region = x.region;
  out.bucket = x.bucket;
  out.endpoint = x.endpoint;
  out.path_style = true;
  out.ca_file = in.ca_file;
  if (x.endpoint.empty()) {
    out.endpoint = "https://s3." + x.region + ".amazonaws.com";
    if (x.region.starts_with("cn-"))
      out.endpoint += ".cn";
    // Certificates have one name for the bucket, without dots.
    out.path_style = x.bucket.find('.') != x.bucket.npos;
  }
  std::string prefix;
  if (x.prefix.size() > object_key_bytes_max)
    prefix = "has more than " + std::to_string(object_key_bytes_max) + " bytes";
  for (const auto& [setting, wrong] :
       {std::pair{"endpoint", s3::endpoint_fault(out.endpoint)},
        std::pair{"bucket", s3::bucket_fault(out.bucket)},
        std::pair{"prefix", prefix}})
    if (!wrong.empty())
      return caf::make_error(ec::bad_setting,
                             std::string{setting} + ": " + wrong);
  return out;
}

} // namespace

caf::expected<std::unique_ptr<source_reader>>
make_s3_reader(const std::string& name, const source_settings& x,
               const reader_context& in) {
  if (auto wrong = check_aws_keys(x.from))
    return wrong;
  auto place = place_of(x.from, in);
  if (!place)
    return std::move(place.error());
  return std::unique_ptr<source_reader>{std::make_unique<s3_reader>(
    x.from, std::move(*place), rules_of(name, x, in.body_bytes_max))};
}

} // namespace depositd::sources

#include "adapters/stores/s3/client.hpp"

#include "adapters/stores/files/sha256.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace depositd::s3 {

namespace {

constexpr std::uint64_t progress_bytes = 1024 * 1024;

/// Pages of a list that are empty, or begin with what came before, though keys
/// come in order: more is no list any more, however new their tokens are.
constexpr std::uint32_t idle_pages_max = 1'000;

bool is_passing(long status, const std::string& code) {
  return (status >= 500 && status != 501) || status == 408 || status == 429
         || code == "RequestTimeout" || code.starts_with("SlowDown")
         || code == "OperationAborted" || code == "InternalError";
}

/// Each maker has a word of its own: QuotaExceeded, XRustfsQuotaExceeded,
/// XMinioAdminBucketQuotaExceeded, XMinioStorageFull.
bool is_full(long status, const std::string& code) {
  return status == 507 || code.ends_with("QuotaExceeded")
         || code.ends_with("StorageFull") || code == "InsufficientStorage"
         || code == "InsufficientCapacity";
}

/// MinIO has SlowDownRead and SlowDownWrite; to HEAD nobody says a word.
bool is_busy(long status, const std::string& code) {
  return status == 503 || status == 429 || code.starts_with("SlowDown");
}

/// What to do about it, where the server's own words do not say.
std::string advice(long status, const refusal& why, const answer& said) {
  auto region = why.region.empty() ? said.region : why.region;
  if (!region_fault(region).empty())
    region.clear();
  if (why.code == "RequestTimeTooSkewed")
    return "; the clocks of this machine and of the server differ";
  if ((status >= 300 && status < 400)
      || why.code == "AuthorizationHeaderMalformed")
    return region.empty() ? "; region or endpoint is another"
                          : "; the region is " + region;
  return {};
}

/// Of bytes in memory, which stay the caller's.
outgoing outgoing_of(std::string_view bytes) {
  return {bytes.size(), sha256_hex(bytes),
          [bytes](std::span<char> into, std::uint64_t offset) {
            std::memcpy(into.data(), bytes.data() + offset, into.size());
            return caf::error{};
          }};
}

} // namespace

client::client(client_options options)
  : options_(std::move(options)),
    wire_(options_.place, options_.limits, options_.stopped) {
  // nop
}

std::string client::full(const std::string& key) const {
  const auto& prefix = options_.place.prefix;
  return prefix.empty() ? key : prefix + "/" + key;
}

std::string client::title(const std::string& key) const {
  return "s3://" + options_.place.bucket + "/" + full(key);
}

/// A server that was silent for as long as it may be is asked once more: five
/// times would be five minutes in which nobody hears of it.
bool client::wait(const ending& last, std::uint32_t& failures) const {
  ++failures;
  if (last.hung && failures + 1 < options_.tries)
    failures = options_.tries - 1;
  if (options_.stopped && options_.stopped())
    return false;
  if (failures >= options_.tries) {
    if (last.busy && options_.was_busy)
      options_.was_busy(last.failure);
    return false;
  }
  const auto delay = options_.retry_delay * (1u << std::min(failures - 1, 16u));
  std::this_thread::sleep_for(
    std::min<std::chrono::milliseconds>(delay, options_.retry_delay_max));
  return true;
}

caf::error client::refused(const request& x, const answer& said,
                           const refusal& why) const {
  // What stands between may say 404 too, but not in S3's words; to HEAD nobody
  // says more.
  const bool missing = said.status == 404 && !x.key.empty()
                       && (why.code == "NoSuchKey" || why.code == "NoSuchUpload"
                           || (why.code.empty() && x.method == "HEAD"));
  auto text = "s3://" + options_.place.bucket + "/" + x.key + ": ";
  text += why.code.empty() ? "answered with " + std::to_string(said.status)
                           : why.code;
  if (!why.message.empty())
    text += " (" + why.message + ")";
  return caf::make_error(missing ? ec::not_found : ec::store_failed,
                         text + advice(said.status, why, said));
}

void client::judge(const request& x, ending& out) const {
  if (out.failure) {
    // What sink or file have said is theirs.
    if (out.passing)
      out.failure = caf::make_error(ec::store_failed,
                                    "s3://" + options_.place.bucket + "/"
                                      + x.key + ": " + render(out.failure));
    return;
  }
  const bool good = out.said.status >= 200 && out.said.status < 300;
  // A commit may fail after its head was sent.
  if (good
      && !(x.slow_answer && out.said.body.find("<Error") != std::string::npos))
    return;
  const auto why = read_refusal(out.said.body);
  out.failure = refused(x, out.said, why);
  out.full = is_full(out.said.status, why.code);
  out.busy = is_busy(out.said.status, why.code);
  // Nobody makes room within seconds.
  out.passing = !out.full && (good || is_passing(out.said.status, why.code));
}

caf::expected<answer> client::ask(const request& x, bool* full) {
  for (std::uint32_t failures = 0;;) {
    auto out = wire_.send(x);
    judge(x, out);
    if (!out.failure)
      return std::move(out.said);
    if (full != nullptr)
      *full = out.full;
    if (!out.passing || !wait(out, failures))
      return std::move(out.failure);
  }
}

caf::error client::check() {
  const auto out = first("", 1);
  return out ? caf::error{} : out.error();
}

caf::error client::put(const std::string& key, std::string_view bytes) {
  request x;
  x.method = "PUT";
  x.key = full(key);
  x.body = outgoing_of(bytes);
  bool full = false;
  const auto said = ask(x, &full);
  auto failure = said ? caf::error{} : said.error();
  tell_put(bytes.size(), failure, full);
  return failure;
}

void client::tell_put(std::uint64_t bytes, const caf::error& failure,
                      bool full) const {
  if (options_.put_ended && (full || !failure))
    options_.put_ended(bytes, failure);
}

caf::error
client::read(const std::string& key,
             const std::function<caf::error(std::string_view)>& sink) {
  std::uint64_t have = 0;
  std::string tag;
  request x;
  x.key = full(key);
  x.sink = [&](std::string_view bytes) {
    have += bytes.size();
    return sink(bytes);
  };
  for (std::uint32_t failures = 0;;) {
    const auto before = have;
    x.from = have;
    if (have > 0)
      x.headers = {"If-Match: " + tag};
    auto out = wire_.send(x);
    judge(x, out);
    if (!out.failure)
      return {};
    // A trickle is no progress, or there would be no end.
    if (have >= before + progress_bytes)
      failures = 0;
    // Without a tag the rest might be of something else.
    if (before == 0)
      tag = out.said.etag;
    if (!out.passing || (have > 0 && tag.empty()) || !wait(out, failures))
      return std::move(out.failure);
  }
}

caf::expected<std::string> client::get(const std::string& key,
                                       std::size_t bytes_max) {
  std::string out;
  auto failure = read(key, [&](std::string_view bytes) {
    if (out.size() + bytes.size() > bytes_max)
      return caf::make_error(ec::too_large, title(key) + " has more than "
                                              + std::to_string(bytes_max)
                                              + " bytes");
    out += bytes;
    return caf::error{};
  });
  if (failure)
    return failure;
  return out;
}

caf::expected<std::uint64_t> client::size_of(const std::string& key) {
  const auto facts = facts_of(key);
  if (!facts)
    return facts.error();
  return facts->bytes;
}

caf::expected<listed> client::facts_of(const std::string& key) {
  request x;
  x.method = "HEAD";
  x.key = full(key);
  const auto said = ask(x);
  if (!said)
    return said.error();
  if (!said->length)
    return caf::make_error(ec::store_failed,
                           title(key) + ": the server does not say how large");
  return listed{key, *said->length, bare_etag(said->etag)};
}

std::size_t client::key_bytes_left() const {
  return key_bytes_max - std::min(key_bytes_max, full("").size());
}

caf::expected<listing> client::ask_list(const std::string& prefix,
                                        const list_page& page) {
  const auto wanted = full(prefix);
  request x;
  if (!page.token.empty())
    x.query = "continuation-token=" + encoded(page.token, false) + "&";
  x.query += "encoding-type=url&list-type=2";
  if (page.entries > 0)
    x.query += "&max-keys=" + std::to_string(page.entries);
  x.query += "&prefix=" + encoded(wanted, false);
  const auto said = ask(x);
  if (!said)
    return said.error();
  auto out = read_listing(said->body);
  if (!out)
    return out;
  const auto skip = full("").size();
  // Consoles and some servers show folders as keys of nothing.
  std::erase_if(out->entries, [&](const listed& entry) {
    return !entry.key.starts_with(wanted) || entry.key.ends_with('/');
  });
  for (auto& entry : out->entries)
    entry.key.erase(0, skip);
  return out;
}

caf::expected<std::vector<listed>> client::first(const std::string& prefix,
                                                 std::size_t count) {
  auto out = ask_list(prefix, {.entries = count});
  if (!out)
    return std::move(out.error());
  return std::move(out->entries);
}

caf::error client::each(const std::string& prefix,
                        const std::function<caf::error(const listed&)>& take) {
  list_page at;
  std::string last;       // of the keys that pages began with
  std::uint32_t idle = 0; // pages in a row that brought nothing new
  do {
    auto some = ask_list(prefix, at);
    if (!some)
      return std::move(some.error());
    for (const auto& entry : some->entries)
      if (auto failure = take(entry))
        return failure;
    const auto begin = some->entries.empty() ? last : some->entries.front().key;
    idle = begin > last ? 0 : idle + 1;
    last = std::max(last, begin);
    if (!some->next.empty()
        && (some->next == at.token || idle >= idle_pages_max))
      return caf::make_error(ec::store_failed,
                             title(prefix) + ": the server's list has no end");
    at.token = std::move(some->next);
  } while (!at.token.empty());
  return {};
}

caf::expected<std::vector<listed>> client::list(const std::string& prefix,
                                                std::size_t entries_max) {
  std::vector<listed> out;
  auto failure = each(prefix, [&](const listed& x) -> caf::error {
    if (out.size() >= entries_max)
      return caf::make_error(ec::too_large, title(prefix) + " has more than "
                                              + std::to_string(entries_max)
                                              + " objects");
    out.push_back(x);
    return {};
  });
  if (failure)
    return failure;
  return out;
}

caf::expected<recall> client::recall_key(const std::string& key,
                                         std::uint32_t days) {
  const auto text = write_recall(days);
  request x;
  x.method = "POST";
  x.key = full(key);
  x.query = "restore=";
  x.headers = {"Content-Type: application/xml"};
  x.body = outgoing_of(text);
  // Once: whoever is told that it takes hours can wait for the next time.
  auto out = wire_.send(x);
  judge(x, out);
  if (!out.failure)
    return out.said.status == 202 ? recall::begun : recall::at_hand;
  const auto why = read_refusal(out.said.body);
  if (out.said.status == 409)
    return recall::on_way;
  if (out.said.status == 503)
    return recall::too_busy;
  // It is in no archive.
  if (out.said.status == 403 && why.code == "InvalidObjectState")
    return recall::at_hand;
  return std::move(out.failure);
}

caf::error client::remove(const std::string& key) {
  request x;
  x.method = "DELETE";
  x.key = full(key);
  const auto said = ask(x);
  return said || said.error() == ec::not_found ? caf::error{} : said.error();
}

caf::expected<bool> client::remove_if(const std::string& key,
                                      const std::string& etag) {
  request x;
  x.method = "DELETE";
  x.key = full(key);
  x.headers = {"If-Match: \"" + etag + "\""};
  for (std::uint32_t failures = 0;;) {
    auto out = wire_.send(x);
    judge(x, out);
    if (!out.failure || out.failure == ec::not_found)
      return true;
    if (out.said.status == 412)
      return false;
    // Not every server knows the condition.
    if (out.said.status == 501 && !x.headers.empty()) {
      x.headers.clear();
      continue;
    }
    if (!out.passing || !wait(out, failures))
      return std::move(out.failure);
  }
}

} // namespace depositd::s3

#include "actors/records/contents.hpp"

#include "actors/shard/admission/admission.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/test_points.hpp"
#include "messages/values/time_text.hpp"

#include <utility>

namespace depositd::records {

namespace {

/// What a dead letter may hold of its record's headers.
constexpr std::size_t headers_kept_max = 64;
constexpr std::size_t header_bytes_kept_max = 32 * 1024;

/// Says of how many it is more.
constexpr const char* headers_omitted = "headers-omitted";

std::vector<record_header> kept_headers(const source_record& x) {
  std::vector<record_header> out;
  std::size_t bytes = 0;
  std::size_t omitted = 0;
  for (const auto& header : x.headers) {
    if (header.name == headers_omitted || header.name == key_omitted_header)
      continue; // only we may say so
    const auto size = header.name.size() + header.value.size();
    if (out.size() < headers_kept_max
        && bytes + size <= header_bytes_kept_max) {
      bytes += size;
      out.push_back(header);
    } else {
      ++omitted;
    }
  }
  if (omitted > 0)
    out.push_back({headers_omitted, std::to_string(omitted)});
  if (x.key.size() > key_bytes_max)
    out.push_back({key_omitted_header, std::to_string(x.key.size())});
  return out;
}

void reject(ingest& to, const source_record& x, std::string reason,
            std::string user = {}) {
  if (seeded_bug("poison_skipped"))
    return;
  to.rejected.push_back({x.offset, std::move(reason),
                         x.key.size() > key_bytes_max ? std::string{} : x.key,
                         x.value, kept_headers(x), std::move(user)});
}

caf::error add_deposit(const intake_options& options, ingest& to,
                       ingest_deposit&& deposit) {
  if (deposit.body.size() > inline_submission_bytes_max) {
    auto kept = options.blobs->put(deposit.body);
    if (!kept && seeded_bug("unkept_file_passed_over"))
      return {};
    if (!kept)
      return std::move(kept.error());
    deposit.submission.blob = std::move(*kept);
    deposit.body.clear();
  }
  to.deposits.push_back(std::move(deposit));
  return {};
}

caf::error add_batch(const intake_options& options, ingest& to,
                     const source_record& x, read_batch&& batch) {
  auto& document = *batch.document;
  if (!batch.payload.empty()) {
    auto kept = options.blobs->put(batch.payload);
    if (!kept)
      return std::move(kept.error());
    document.payloads.front().blob = std::move(*kept);
  }
  ingest_work out;
  out.offset = x.offset;
  // The same record written again has another time.
  out.digest = shard::digest_of(encode(document));
  if (x.written_us != never)
    document.submitted = format_utc(x.written_us);
  out.what = std::move(batch.what);
  out.what.document = encode(document);
  if (out.what.document.size() > inline_body_bytes_max) {
    reject(to, x, "the fields of the form are too long");
    return {};
  }
  to.works.push_back(std::move(out));
  return {};
}

const std::string& user_of(const record_content& x) {
  const auto* deposit = std::get_if<ingest_deposit>(&x);
  return deposit != nullptr ? deposit->user : std::get<read_batch>(x).what.user;
}

} // namespace

caf::error add_content(const intake_options& options, ingest& to,
                       const source_record& x,
                       const std::map<std::int64_t, std::string>& refused) {
  auto content = options.format.read(x);
  if (!content) {
    reject(to, x, render(content.error()));
    return {};
  }
  if (const auto at = refused.find(x.offset); at != refused.end()) {
    reject(to, x, at->second, user_of(*content));
    return {};
  }
  if (auto* batch = std::get_if<read_batch>(&*content))
    return add_batch(options, to, x, std::move(*batch));
  auto& deposit = std::get<ingest_deposit>(*content);
  deposit.offset = x.offset;
  return add_deposit(options, to, std::move(deposit));
}

} // namespace depositd::records

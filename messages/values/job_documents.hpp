#pragma once

// The bodies of batches and jobs: what handlers work by and write down, as
// JSON objects. Members that a newer version or a program added are kept.

#include "messages/values/digests.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/work.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd {

/// The member of `more` that a batch hands on to each of its jobs: what a piece
/// of work is about that no depositor's form describes.
inline constexpr const char* work_item_member = "work_item";

/// Bytes that were submitted, or where they are.
struct payload {
  std::string file_name;
  std::string blob; ///< SHA-256 in the blob store; empty: at `url`
  std::string url;
  std::optional<std::uint64_t> bytes;
  std::optional<digest> expected;
};

/// Who made what, as the form or a row says it.
struct description {
  std::string identifier; ///< an ARK; empty: one is minted or looked up
  std::vector<std::string> local_ids;
  std::string title;
  std::string creator;
  std::string date;
};

/// What was submitted, as a whole.
struct batch_document {
  std::string uuid;
  std::string user;
  std::string collection;
  std::string type; ///< of the form; empty: by the payload
  std::vector<payload> payloads;
  description what;
  bool update = false;
  std::string note;
  std::string notification;  ///< a mail address in place of the collection's
  std::string response_form; ///< json, xml, ...
  std::string resource_type;
  std::vector<std::pair<std::string, std::string>> dublin_core;
  std::vector<std::pair<std::string, std::string>> erc;
  std::string submitted; ///< a time
  /// How far splitting has come: rows, or payloads, that have a job.
  std::uint64_t split = 0;
  nlohmann::json more = nlohmann::json::object();
};

/// One object on its way.
struct job_document {
  std::string uuid;
  std::string batch_uuid;
  std::string user;
  std::string collection;
  job_type type = job_type::file;
  depositd::payload payload;
  description what;
  bool update = false;
  std::string note;
  std::string resource_type;
  std::vector<std::pair<std::string, std::string>> dublin_core;
  std::vector<std::pair<std::string, std::string>> erc;
  std::string submitted;
  std::uint8_t first_priority = 0; ///< before any penalty
  std::uint8_t priority = 0;       ///< as estimated
  std::int64_t space_needed = -1;
  std::string fault; ///< of its row: it cannot succeed
  /// What later stages leave for those behind them; and whatever else is there.
  nlohmann::json more = nlohmann::json::object();
};

std::string encode(const batch_document& x);
std::string encode(const job_document& x);

/// `ec::malformed` if the bytes are no such document.
caf::expected<batch_document> decode_batch_document(std::string_view bytes);
caf::expected<job_document> decode_job_document(std::string_view bytes);

/// The extract that people search.
job_facts facts_of(const job_document& x);

/// What splitting hands over with an outcome: so many jobs are expected in all,
/// and these come now.
struct split_slice {
  std::uint64_t expected = 0;
  bool last = false;
  batch_document batch; ///< as it is afterwards
  std::vector<job_document> jobs;
};
std::string encode(const split_slice& x);

/// The same with the documents as the bytes that they will be stored as.
struct split_bodies {
  struct one {
    std::uint8_t priority = 0;
    job_info info; ///< without a pipeline
    job_facts facts;
    std::string body;
  };
  std::uint64_t expected = 0;
  bool last = false;
  std::string batch;
  std::vector<one> jobs;
};
caf::expected<split_bodies> decode_split_bodies(std::string_view bytes);

} // namespace depositd

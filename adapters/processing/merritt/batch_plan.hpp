#pragma once

// Which jobs a batch will have.

#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/processing/stages/stage_tools.hpp"
#include "messages/values/job_documents.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace depositd::merritt {

/// What one submitted payload becomes.
struct planned_payload {
  job_type type = job_type::file;
  /// Of a batch manifest: a job for each of its rows.
  std::optional<manifest> rows;

  std::uint64_t jobs() const {
    return rows ? rows->rows.size() : 1;
  }
};

struct batch_plan {
  std::vector<planned_payload> payloads; ///< as in the document

  std::uint64_t jobs() const;
};

/// Of a batch that cannot be split: how its stage ends.
using plan_or_ending = std::variant<std::shared_ptr<const batch_plan>, outcome>;

/// As `download_request::stopped`.
using put_back_function = std::function<bool(std::uint64_t more)>;

/// Reads batch manifests, which may mean to fetch them to WORK/BATCH/split;
/// that is left for another time once `put_back` says so.
plan_or_ending make_plan(const stages::stage_tools& tools,
                         const batch_document& batch,
                         const put_back_function& put_back = nullptr);

/// Removes what `make_plan` has fetched.
caf::error forget_fetched(const stages::stage_tools& tools,
                          const batch_document& batch);

/// Keeps the plans of the batches that were split last. From several threads.
class batch_plans {
public:
  plan_or_ending find(const stages::stage_tools& tools,
                      const batch_document& batch,
                      const put_back_function& put_back = nullptr);
  void forget(const std::string& batch_uuid);

private:
  struct entry {
    std::string batch;
    std::shared_ptr<const batch_plan> plan;
  };

  std::mutex mutex_;
  std::list<entry> entries_; ///< used last first
};

} // namespace depositd::merritt

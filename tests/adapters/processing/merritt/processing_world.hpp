#pragma once

// Jobs that are only to be processed, for tests of that stage.

#include "tests/adapters/processing/merritt/stage_world.hpp"
#include "tests/support/packed.hpp"

#include <map>
#include <string>
#include <vector>

namespace depositd::merritt {

inline constexpr const char* given_ark = "ark:/99999/fk4given";

class processing : public testing::stage_world {
protected:
  /// A job with a payload of these files, in a batch of its own, which is only
  /// to be processed.
  job_document ready(const std::map<std::string, std::string>& files,
                     const description& what = {}, bool update = false) {
    auto batch =
      batch_of("a.zip", depositd::testing::zip_of(files), "container");
    batch.uuid = "bid-" + std::to_string(++batches_);
    batch.what = what;
    batch.update = update;
    auto out = split(batch).jobs.at(0);
    EXPECT_EQ(run_all(out, {"stage", "estimate", "provision", "download"}), "");
    return out;
  }

  /// As the last stages do.
  void record(const job_document& job) {
    inventory_entry x;
    x.identifier = job.what.identifier;
    x.collection = job.collection;
    x.owner = collection.owner;
    x.local_ids = job.what.local_ids;
    x.version.job = job.uuid;
    EXPECT_FALSE(catalogue->record(x));
    EXPECT_FALSE(catalogue->unlock_all(job.uuid, any_token));
  }

  std::string process(job_document& job) {
    return run_all(job, {"process"});
  }

  std::string added(const job_document& job, const std::string& name) const {
    return testing::content_of(folder(job).system() / name);
  }

  /// A disk that does not say what is in the payload's folder.
  void spoil_payload(const job_document& job) const {
    const auto payload = folder(job).producer();
    fs::remove_all(payload);
    fs::create_symlink(payload, payload);
  }

private:
  int batches_ = 0;
};

} // namespace depositd::merritt

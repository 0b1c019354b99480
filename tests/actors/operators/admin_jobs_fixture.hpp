#pragma once

// Jobs and batches that operators look for, and what is known of them.

#include "tests/actors/operators/admin_access_fixture.hpp"

namespace depositd::testing {

class admin_jobs_fixture : public admin_access_test {
protected:
  admin_jobs_fixture() {
    pipeline merritt{"merritt", {}};
    for (const auto* name : {"pending", "estimate", "download"})
      merritt.stages.push_back(stage_settings{.name = name});
    world_.control.pipelines["merritt"] = merritt;
  }

  void set_stages(const std::vector<std::string>& queues) {
    for (const auto& name : queues)
      world_.control.queues[name].kind = queue_kind::stage;
  }

  job_row& add_job(item_id id, job_state state) {
    job_row row;
    row.id = id;
    row.batch = 4;
    row.user = "ann";
    row.info.uuid = "jid-" + std::to_string(id);
    row.info.collection = "c1";
    row.info.pipeline = "merritt";
    row.status.state = state;
    row.status.changed_us = 1;
    return work().jobs.emplace_back(row);
  }

  batch_row& add_batch(item_id id, batch_state state) {
    batch_row row;
    row.id = id;
    row.user = "ann";
    row.info.uuid = "bid-" + std::to_string(id);
    row.info.collection = "c1";
    row.status.state = state;
    return work().batches.emplace_back(row);
  }

  work_world& work() {
    return world_.work;
  }

  /// What an operator with these limits is answered.
  caf::expected<std::string> send_limited(std::vector<std::string> users,
                                          std::vector<std::string> collections,
                                          const std::string& command,
                                          const json& arguments) {
    operator_changed anna{"anna", operator_role::administer};
    anna.users = std::move(users);
    anna.collections = std::move(collections);
    world_.control.operators["anna"] = anna;
    return send_as(certificate("anna"), command, arguments);
  }
};

} // namespace depositd::testing

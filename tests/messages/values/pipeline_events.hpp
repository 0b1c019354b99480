#pragma once

// Events of collections, pipelines, batches and jobs with something in every
// field, numbers of more than one byte.

#include "messages/values/events.hpp"

#include <vector>

namespace depositd::testing {

inline pipeline a_pipeline() {
  pipeline out{.name = "merritt"};
  out.stages = {{.name = "store",
                 .state = job_state::storing,
                 .kind = handler_kind::exec,
                 .handler = "storage",
                 .command = {"/bin/true", "-v"},
                 .workers = 300,
                 .nodes = {"one", "two"}}};
  return out;
}

inline item_place a_place() {
  return {"merritt.report", 200, true, 300, 1'700'000'000'000'000};
}

inline job_facts some_facts() {
  return {"ark:/1/2", "a;b", "Map", "Somebody", "1650", -1};
}

/// One event of every kind of those of collections, pipelines, and their work.
inline std::vector<event> events_of_pipelines() {
  return {
    collection_changed{{.name = "MAPS",
                        .owner = "ALICE",
                        .submitters = {"BOB", ""},
                        .storage = {"local", "s3"},
                        .notify = {"a@example.org"},
                        .callback = "http://127.0.0.1:1/",
                        .callback_key = "secret",
                        .callback_may_fail = true,
                        .has_priority = true,
                        .priority = 200,
                        .mails = notices::none,
                        .held = true},
                       true},
    pipeline_changed{a_pipeline(), true},
    pipelines_seen{{a_pipeline(), {}}},
    batch_received{300,
                   "merritt.batch",
                   700,
                   {"bid-1", "MAPS", "merritt", "http", "somebody", "file",
                    "a.zip", "Maps"}},
    batch_moved{300,
                "merritt.batch",
                a_place(),
                {batch_state::update_reporting, 800, "why"},
                {900, true, 300, 200, 100, 1'000, 400},
                2},
    batch_counted{300, {900, true, 300, 200, 100, 1'000, 400}},
    job_created{301,
                "merritt.estimate",
                300,
                900,
                {"jid-1", "MAPS", "merritt", job_type::manifest, "a.tif"},
                some_facts(),
                {job_state::held, job_state::none, 0, false, false, 900, ""}},
    job_moved{301,
              "merritt.store",
              300,
              a_place(),
              {job_state::failed, job_state::processing, 500, true, true, 1'000,
               "why", 300},
              true,
              some_facts()},
    batch_forgotten{300},
    contact_changed{"ALICE", "alice@example.org", "https://a.example/told"},
    submission_ended{301, "metadata", ending::failed, 1'000, "why", "batch-1",
                     "<doi_batch_diagnostic/>"},
    deletion_changed{"del-1",
                     "INST",
                     {{"inst/bag", "maps"}, {"inst/b", "maps"}},
                     "operator=ann",
                     900,
                     "why",
                     "operator=bob",
                     1'000,
                     "operator=root",
                     1'100,
                     "operator=eve",
                     1'200,
                     1'300,
                     true},
  };
}

} // namespace depositd::testing

#include "tests/actors/operators/admin_fixture.hpp"

#include "actors/operators/letter_desk.hpp"
#include "actors/operators/object_copier.hpp"
#include "adapters/logs/kafka/dead_letters.hpp"

#include <caf/event_based_actor.hpp>

#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <tuple>

namespace depositd::testing {

namespace {

/// Of one queue as its report has it, if there is one.
void add_ring(rings_shown& to, const queues_listed& from,
              const std::string& name) {
  for (const auto& queue : from.queues)
    if (queue.name == name) {
      ring_report ring;
      ring.queue = name;
      ring.ready = queue.ready;
      ring.in_flight = queue.in_flight;
      to.rings.push_back(std::move(ring));
    }
}

/// As a shard has them: of a user who is named, or the first of all.
rings_shown rings_of(rings_shown all, const queues_listed& queues,
                     const show_rings& x) {
  if (!x.queue.empty()) {
    std::erase_if(all.rings,
                  [&](const auto& ring) { return ring.queue != x.queue; });
    if (all.rings.empty())
      add_ring(all, queues, x.queue);
  }
  for (auto& ring : all.rings)
    for (auto* part : {&ring.in_turn, &ring.out_of_turn}) {
      std::erase_if(*part, [&](const auto& one) {
        return !x.user.empty() && one.user != x.user;
      });
      part->resize(std::min<std::size_t>(part->size(), x.count_max));
    }
  return all;
}

} // namespace

admin_fixture::admin_fixture() {
  world_.control.queues["metadata"] = deposit_queue_defaults();
  world_.control.queues["query"] = deposit_queue_defaults();
  world_.control.queues["loose"] = queue_settings{};
  for (const auto& [name, settings] : world_.control.queues) {
    queue_report report;
    report.name = name;
    report.settings = settings;
    report.ready = 3;
    report.in_flight = 2;
    world_.queues.queues.push_back(report);
  }
  operators::admin_options options;
  options.shard = pose<shard_actor>(fake_shard());
  options.projector = pose<projector_actor>(fake_projector());
  options.processors = pose<processor_manager_actor>(fake_processors());
  options.submitter = pose<submitter_actor>(fake_submitter());
  options.catalogue = pose<catalogue_actor>(fake_catalogue());
  options.auditor = pose<auditor_actor>(
    {[this](const audit_query& x) -> caf::result<audit_found> {
      world_.audit_queries.push_back(x.where);
      return audit_found{world_.audited};
    }});
  options.letters =
    spawn(operators::letter_desk,
          operators::letter_desk_options{
            [this] { return open_memory_source(world_.records, "dead"); },
            [this] { return open_memory_sink(world_.records); },
            kafka::read_dead_letter, "in"});
  options.orders = pose<order_desk_actor>(fake_desk());
  options.due = pose<reconciler_actor>(fake_reconciler());
  options.topics = pose<topics_actor>(fake_topics());
  options.storage = {"local", "vault"};
  options.begin_copy = [this](const std::filesystem::path& folder) {
    return std::make_shared<noted_copy>(world_, folder.string());
  };
  options.copier =
    spawn(operators::object_copier, operators::object_copier_options{});
  options.stores = pose<store_server_actor>(
    {[](const put_blob&) -> caf::result<blob_put> { return blob_put{}; }});
  options.shard_for_nodes = pose<shard_processors_actor>(
    {[](const open_ports&) { return ports_opened{}; }});
  options.native =
    pose<native_actor>({[](const enqueue&) { return enqueued{}; }});
  options.passwords = pose<password_checker_actor>(fake_passwords());
  options.meet = [](const meet_engine&) -> caf::expected<engine_met> {
    return engine_met{"e1", {}};
  };
  options.peers = peers_;
  options.account_name = [](std::uint32_t x) -> std::string {
    return x == 0 ? "root" : x == 65534 ? "nobody" : "";
  };
  options.given = given_;
  options.logs = [this] { return world_.logs; };
  const auto keeper =
    caf::actor_cast<caf::strong_actor_ptr>(pose<shard_keeper_actor>(
      {[this](list_admins) { return admins_listed{world_.other_engines}; }}));
  options.keeper = [keeper] { return keeper; };
  options.engine = "e1";
  options.version = "9.9";
  options.settings = {{"data.folder", "/d", "--set data.folder"}};
  options.clock =
    engine_clock{1'772'357'400'000'000, sched.clock().current_time};
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log_);
  options.audit = std::make_shared<spdlog::logger>("audit", sink);
  admin_ = spawn(operators::admin, options);
}

caf::behavior admin_fixture::fake_shard() {
  return {
    [this](const watch_control&) -> caf::result<control_changed> {
      if (world_.shard_silent)
        return caf::delegated<control_changed>{};
      return control_changed{std::make_shared<control_state>(world_.control)};
    },
    [this](const propose& x) -> caf::result<done> {
      world_.proposals.push_back(x.changes);
      if (!world_.refusal)
        for (const auto& change : x.changes)
          std::visit(control_writer{world_.control}, change);
      return answer(done{});
    },
    [this](const list_queues&) {
      ++world_.all_queues_asked;
      return world_.queues;
    },
    [this](const list_users&) { return world_.users; },
    [this](const show_rings& x) {
      world_.rings_asked.push_back(x);
      return rings_of(world_.rings, world_.queues, x);
    },
    [this](const count_pending& x) -> caf::result<pending_counted> {
      if (world_.own_queues.contains(x.queue))
        return caf::make_error(ec::not_found, "no queue " + x.queue);
      return world_.pending;
    },
    [this](const park_matching& x) -> caf::result<matching_parked> {
      world_.parkings.push_back(x);
      return answer(matching_parked{world_.matching});
    },
    [this](const cancel_deposit& x) -> caf::result<done> {
      world_.cancelled.push_back(x);
      return answer(done{});
    },
    [this](const cancel_matching& x) -> caf::result<matching_cancelled> {
      world_.cancellings.push_back(x);
      return answer(matching_cancelled{world_.cancelling_done});
    },
    [this](const purge_queue& x) -> caf::result<done> {
      world_.purged.push_back(x.queue);
      return answer(done{});
    },
    [this](const explain_item& x) {
      world_.explanations.push_back(x);
      return world_.explained;
    },
    [this](const count_queue&) { return world_.counted; },
    [this](const list_topics& x) { return topics(x); },
    [this](const order_topic& x) -> caf::result<done> {
      world_.topic_orders.push_back(x);
      if (world_.topic_refused == x.topic)
        return caf::make_error(ec::overloaded, x.topic + " is busy");
      return answer(done{});
    },
    [this](const order_job& x) {
      world_.work.job_orders.push_back(x);
      return ordered(job_ordered{world_.work.job_becomes});
    },
    [this](const order_batch& x) {
      world_.work.batch_orders.push_back(x);
      return ordered(batch_ordered{world_.work.batch_becomes});
    },
    [this](const order_jobs& x) {
      world_.work.bulk_orders.push_back(x);
      return ordered(jobs_ordered{world_.work.bulk});
    },
    [this](const forget_batches& x) {
      world_.work.forgotten.push_back(x);
      return ordered(batches_forgotten{world_.work.forgotten_count});
    },
    [this](const report_schedulers& x) { return world_.feeding.answer(x); },
    [this](const find_record& x) { return world_.feeding.answer(x); },
    [this](const explain_strategy& x) { return world_.feeding.answer(x); },
    [this](const test_source& x) { return world_.feeding.answer(x); },
    [this](const feed_by_hand& x) { return world_.feeding.answer(x); },
  };
}

topics_listed admin_fixture::topics(const list_topics& x) {
  auto out = world_.topics;
  std::erase_if(out.topics, [&](const auto& topic) {
    return !x.topic.empty() && topic.name != x.topic;
  });
  for (auto& topic : out.topics)
    std::erase_if(topic.channels, [&](const auto& channel) {
      return !x.channel.empty() && channel.name != x.channel;
    });
  return out;
}

caf::behavior admin_fixture::fake_projector() {
  return {
    [this](const submission_query& x) {
      world_.queries.push_back(x);
      return submissions_found{world_.submissions, world_.cut_short};
    },
    [this](const batch_query& x) {
      world_.work.batch_queries.push_back(x);
      auto rows = world_.work.batches;
      if (!x.after.empty()) // which are asked for from the newest on
        std::erase_if(rows, [&](const batch_row& row) {
          return row.id >= x.after.back();
        });
      if (rows.size() > x.count_max)
        rows.resize(x.count_max);
      return batches_found{std::move(rows), world_.work.cut_short};
    },
    [this](const job_query& x) {
      world_.work.job_queries.push_back(x);
      auto rows = world_.work.jobs;
      std::erase_if(rows, [&](const job_row& row) {
        return !is_among(x.queues, row.queue);
      });
      if (rows.size() > x.count_max)
        rows.resize(x.count_max);
      return jobs_found{std::move(rows), world_.work.cut_short};
    },
    [this](const peek_items& x) {
      world_.peeks.push_back(x);
      return items_found{world_.items};
    },
    [this](const failed_query& x) { return world_.feeding.answer(x); },
    [this](const forget_submissions& x) -> caf::result<submissions_forgotten> {
      world_.users_forgotten.push_back(x.user);
      submissions_forgotten out;
      if (!world_.forgotten.empty()) {
        out.count = world_.forgotten.back();
        world_.forgotten.pop_back();
      }
      return answer(out);
    },
    [this](const back_up& x) -> caf::result<done> {
      world_.backups.push_back(x.folder);
      world_.copying.push_back("all else");
      return answer(done{});
    },
    [this](const report_store&) { return world_.store; },
  };
}

caf::behavior admin_fixture::fake_processors() {
  return {[this](const report_slots&) { return world_.slots; }};
}

caf::behavior admin_fixture::fake_passwords() {
  return {[this](const check_password& x) -> caf::result<password_checked> {
    world_.passwords.push_back(x);
    if (world_.passwords_wait)
      return caf::delegated<password_checked>{};
    if (world_.throttled)
      return world_.throttled;
    return password_checked{!x.hash.empty() && x.password == x.hash + "!"};
  }};
}

caf::behavior admin_fixture::fake_topics() {
  return {[this](create_topics) -> caf::result<topics_created> {
    return answer(topics_created{{{"in", 8, false}, {"dead", 3, true}}});
  }};
}

caf::behavior admin_fixture::fake_submitter() {
  return {[this](const submit_file& x) -> caf::result<enqueued> {
            world_.files.push_back(x);
            return answer(enqueued{{world_.submitted_id}, 0});
          },
          [this](const submit_again& x) -> caf::result<enqueued> {
            world_.again.push_back(x);
            return answer(enqueued{{world_.submitted_id}, 0});
          }};
}

caf::behavior admin_fixture::fake_desk() {
  return {
    [this](const place_order& x) -> caf::result<order_placed> {
      world_.orders.push_back(x);
      auto made = make_order(x.what, {.uuid = "bid-1", .collection = "maps"});
      return answer(order_placed{77, made.info, "A"});
    },
    [this](const ask_deletion& x) -> caf::result<deletion_asked> {
      world_.deletions_asked.push_back(x);
      deletion_changed out;
      out.reference = "del-1";
      out.user = "A";
      out.asked_by = x.asked_by;
      for (const auto& one : x.objects)
        out.targets.push_back({one, "maps"});
      return answer(deletion_asked{out});
    },
  };
}

caf::behavior admin_fixture::fake_reconciler() {
  return {
    [](const control_changed&) {},
    [this](const queue_due& x) -> caf::result<due_queued> {
      world_.due.push_back(x.what);
      world_.approved = x.approved;
      return answer(due_queued{2, 30, 1});
    },
  };
}

std::vector<checked_file> admin_fixture::checks(const fixity_query& x) {
  const auto place = [](const checked_file& y) {
    return std::tie(y.checked_us, y.object, y.path);
  };
  std::vector<checked_file> out;
  for (const auto& one : world_.checks)
    if (place(one) > place(x.after) && out.size() < x.count_max
        && is_among(x.owners, one.owner)
        && is_among(x.collections, one.collection))
      out.push_back(one);
  return out;
}

caf::behavior admin_fixture::fake_catalogue() {
  return {
    [this](const search_objects& x) {
      world_.searches.push_back(x);
      auto out = world_.objects;
      const auto& any = x.any.front();
      std::erase_if(out, [&](const inventory_object& y) {
        return !is_among(any.owners, y.owner)
               || !is_among(any.collections, y.collection);
      });
      if (out.size() > x.count_max)
        out.resize(x.count_max);
      return objects_found{std::move(out)};
    },
    [this](const find_object_files&) {
      return object_files_found{world_.object_files};
    },
    [this](const find_checks& x) {
      world_.check_queries.push_back(x.what);
      return checks_found{checks(x.what)};
    },
    [this](const find_premis& x) {
      world_.event_queries.push_back(x.what);
      return premis_found{world_.events};
    },
    [this](const measure_collections&) {
      return collections_measured{world_.use};
    },
    [this](const measure_recorded& x) {
      world_.measured.push_back(x);
      return recorded_measured{world_.recorded};
    },
  };
}

} // namespace depositd::testing

#pragma once

// The admin actor with stand-ins for everything it asks.

#include "actors/operators/admin.hpp"
#include "messages/audit.hpp"
#include "messages/catalogue.hpp"
#include "messages/cluster.hpp"
#include "messages/orders.hpp"
#include "messages/receiving.hpp"
#include "messages/shard.hpp"
#include "messages/stores.hpp"
#include "messages/topics.hpp"

#include "tests/actors/operators/control_writer.hpp"
#include "tests/actors/operators/feeding_world.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/memory_record_log.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <variant>

namespace depositd::testing {

using json = nlohmann::json;

/// Whose connections messages of other nodes come over.
class peers_given : public known_peers {
public:
  std::optional<peer> peer_of(const caf::node_id& node) const override {
    const auto at = peers.find(node);
    if (at == peers.end())
      return std::nullopt;
    return at->second;
  }

  std::map<caf::node_id, peer> peers;
};

/// The same of batches and jobs.
struct work_world {
  std::vector<batch_row> batches;
  std::vector<job_row> jobs;
  bool cut_short = false;
  std::vector<batch_query> batch_queries;
  std::vector<job_query> job_queries;
  std::vector<order_job> job_orders;
  std::vector<order_batch> batch_orders;
  std::vector<order_jobs> bulk_orders;
  std::vector<forget_batches> forgotten;
  job_status job_becomes;
  batch_status batch_becomes;
  jobs_ordered bulk;
  std::uint64_t forgotten_count = 1;
  caf::error refusal; ///< of every order, if set
};

/// What the stand-ins answer and what they were asked.
struct world {
  work_world work;
  feeding_world feeding;
  control_state control;
  queues_listed queues;
  std::size_t all_queues_asked = 0; ///< how often
  users_listed users;
  pending_counted pending{5, 10'000}; ///< of each user in each queue
  std::set<std::string> own_queues; ///< of shards; of these nobody is told
  rings_shown rings;
  std::vector<show_rings> rings_asked;
  slots_report slots;
  store_report store{120, 100, 4096, 2};
  std::vector<submission_row> submissions;
  bool cut_short = false;
  std::vector<std::uint64_t> forgotten; ///< of each time, the last first
  std::vector<std::string> users_forgotten;
  std::vector<item_row> items;
  std::vector<peek_items> peeks;
  item_explained explained;
  std::vector<explain_item> explanations;
  queue_counted counted{9, 2};
  std::uint64_t matching = 0;
  caf::error refusal; ///< of every proposal and act, if set
  bool shard_silent = false;
  std::vector<std::vector<event>> proposals;
  std::vector<park_matching> parkings;
  std::vector<std::string> purged;
  topics_listed topics;
  std::vector<order_topic> topic_orders;
  std::string topic_refused; ///< orders about it are refused
  std::vector<std::string> backups;
  std::vector<std::string> copying; ///< what backups did, in order
  caf::error copy_failure;          ///< of objects, if set
  std::vector<submission_query> queries;
  std::vector<submit_file> files;
  std::vector<submit_again> again;
  std::vector<cancel_deposit> cancelled;
  std::vector<cancel_matching> cancellings;
  matching_cancelled cancelling_done;
  std::vector<inventory_object> objects;
  std::vector<stored_file> object_files;
  std::vector<collection_use> use;
  std::vector<recorded_use> recorded;
  std::vector<search_objects> searches;
  std::vector<premis_event> events;
  std::vector<premis_query> event_queries;
  std::vector<place_order> orders;
  std::vector<ask_deletion> deletions_asked;
  std::vector<due_query> due;
  std::vector<deletion_changed> approved; ///< that came with what is due
  std::vector<checked_file> checks;
  std::vector<fixity_query> check_queries;
  std::vector<measure_recorded> measured;
  item_id submitted_id = 77;
  std::vector<operators::record_log_pair> logs;
  std::vector<admins_listed::entry> other_engines;
  std::vector<check_password> passwords;
  std::shared_ptr<memory_record_log> records = make_memory_record_log();
  audit_page audited;
  std::vector<audit_range> audit_queries;
  caf::error throttled; ///< of the next password, if set
  bool passwords_wait = false;
};

/// Notes when it begins and ends.
class noted_copy final : public work_copy {
public:
  noted_copy(world& of, const std::string& folder) : world_(of) {
    world_.copying.push_back("begin " + folder);
  }

  ~noted_copy() override {
    world_.copying.push_back("end");
  }

  caf::error hold() override {
    return {};
  }

  caf::error copy_catalogue() override {
    return {};
  }

  caf::error copy_objects() override {
    world_.copying.push_back("objects");
    return world_.copy_failure;
  }

private:
  world& world_;
};

class admin_fixture : public actor_fixture {
protected:
  admin_fixture();

  caf::expected<std::string> send(const std::string& command,
                                  const std::string& arguments) {
    auto out = ask<admin_reply>(admin_, admin_request{command, arguments});
    if (!out)
      return std::move(out.error());
    return std::move(out->document);
  }

  /// The document; a refusal fails the test.
  json run(const std::string& command, const json& arguments = json::object()) {
    auto out = send(command, arguments.dump());
    EXPECT_TRUE(out) << command << ": " << render(out.error());
    return out ? json::parse(*out) : json{};
  }

  /// The error text; success fails the test.
  std::string refusal(const std::string& command,
                      const json& arguments = json::object(),
                      ec code = ec::invalid_argument) {
    auto out = send(command, arguments.dump());
    EXPECT_FALSE(out) << command;
    if (out)
      return "";
    EXPECT_EQ(out.error(), code) << render(out.error());
    return render(out.error());
  }

  /// The only event of the last proposal.
  template <class Event>
  Event proposed() {
    EXPECT_FALSE(world_.proposals.empty());
    EXPECT_EQ(world_.proposals.back().size(), 1u);
    return std::get<Event>(world_.proposals.back().front());
  }

  /// The only one of its kind in the last proposal.
  template <class Event>
  Event proposed_with_others() {
    std::vector<Event> out;
    EXPECT_FALSE(world_.proposals.empty());
    for (const auto& x : world_.proposals.back())
      if (const auto* one = std::get_if<Event>(&x))
        out.push_back(*one);
    EXPECT_EQ(out.size(), 1u);
    return out.at(0);
  }

  std::size_t audit_lines() const {
    const auto text = log_.str();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  /// A hash of the right form.
  const std::string a_hash = std::string{"$argon2id$v=19$m=19456,t=2,p=1$"}
                             + std::string(22, 'A') + "$"
                             + std::string(43, 'B');
  world world_;
  std::shared_ptr<peers_given> peers_ = std::make_shared<peers_given>();
  std::shared_ptr<engine::grants> given_ = std::make_shared<engine::grants>(
    rules::access::own_people{.account = 500, .certificate = "engine"});
  std::ostringstream log_;
  admin_actor admin_;

  template <class Handle>
  Handle pose(caf::behavior behavior) {
    auto fake = spawn([=](caf::event_based_actor*) { return behavior; });
    return caf::actor_cast<Handle>(
      caf::actor_cast<caf::strong_actor_ptr>(fake));
  }

private:
  template <class T>
  caf::result<T> answer(T x) {
    if (world_.refusal)
      return world_.refusal;
    return x;
  }

  caf::behavior fake_shard();
  topics_listed topics(const list_topics& x);
  template <class T>
  caf::result<T> ordered(T x) {
    if (world_.work.refusal)
      return world_.work.refusal;
    return x;
  }

  caf::behavior fake_projector();
  caf::behavior fake_processors();
  /// The right password of each is their hash and "!".
  caf::behavior fake_passwords();
  caf::behavior fake_topics();
  caf::behavior fake_submitter();
  caf::behavior fake_desk();
  caf::behavior fake_reconciler();
  static bool is_among(const std::vector<std::string>& any,
                       const std::string& x) {
    return any.empty() || std::find(any.begin(), any.end(), x) != any.end();
  }

  std::vector<checked_file> checks(const fixity_query& x);
  caf::behavior fake_catalogue();
};

} // namespace depositd::testing

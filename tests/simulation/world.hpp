#pragma once

// One life: engines as the program wires them, on CAF's deterministic scheduler
// and stores in memory, with clients, processors, operators and accidents
// around them. Everything follows from the seed.

#include "actors/engine/core.hpp"
#include "messages/actors.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/knobs.hpp"
#include "tests/simulation/simulated.hpp"
#include "tests/simulation/world_state.hpp"

#include <caf/event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

/// The queues of every life; messages go to all but the last.
inline constexpr const char* queue_names[] = {"plain", "capped", "banded",
                                              "metadata"};

using namespace std::chrono_literals;

class world : private world_state {
public:
  explicit world(std::uint64_t seed, const lessened& by = {});
  ~world();

  /// The whole life, until everything is drained.
  void live();

  const history& told() const {
    return told_;
  }
  const knobs& settings() const {
    return knobs_;
  }
  /// Messages that actors have taken.
  std::uint64_t messages() const {
    return messages_;
  }

private:
  // -- world.cpp: order and time

  /// Lets so many actors take a message; all of them until nobody has one.
  void run(std::uint64_t messages_max);
  /// How who has a thread in the program waits.
  awaiting waiting_by(chance& by);
  void settle();
  void let_time_pass(std::chrono::microseconds t);
  void hold_up_somebody();
  void let_go(bool all);
  /// Since the beginning, undisturbed by wall clocks.
  micros now_us() const;
  void tell(fact what) {
    told_.add(now_us(), std::move(what));
  }
  std::chrono::milliseconds some_ms(std::uint32_t max) {
    return std::chrono::milliseconds{1 + chance_.below(max)};
  }
  /// Asks the engine that clients know, or one of those; nobody is reached
  /// while none is up.
  template <class Request, class Then>
  void ask(Request request, Then then);
  shards_actor way_in();

  // -- world.cpp: a life

  void begin();
  void step();
  bool step_of_a_part();
  void tell_settings();

  // -- world_engines.cpp

  void start_engine();
  void crash_engine();
  void lose_shard();
  void end(simulated_engine& engine);
  void set_faults(bool on);
  depositd::engine::core_options options_of(simulated_engine& engine,
                                            micros wall_offset_us);

  // -- world_shards.cpp: several engines

  bool is_shared() const {
    return knobs_.shards > 1;
  }
  void begin_sharing();
  void join(const std::string& name);
  void spawn_slots(sharing_engine& on);              // world_slots.cpp
  handler_actor spawn_handler(std::uint32_t number); // world_slots.cpp
  engine_finder_actor spawn_finder(sharing_engine& on);
  admin_actor spawn_admin(sharing_engine& on);
  caf::expected<cluster::opened_core>
  open_shard(sharing_engine& on, shard_number shard, epoch_number epoch);
  void close_shard(simulated_engine& core);
  /// Runs these alone until they have ended.
  void await_end(const std::vector<caf::strong_actor_ptr>& whom);
  /// Actors that were spawned since the last call are this engine's.
  void own_new_actors(std::uint32_t engine);
  std::uint32_t owner_of(caf::resumable* who) const;
  /// Puts the next actor aside if its engine, this one, is stopped.
  bool stop_if_paused(sharing_engine& engine);
  sharing_engine* some_engine();
  std::uint32_t engines_up() const;

  // -- world_accidents.cpp: what happens to several engines

  void trouble_engines();
  void crash_sharing();
  void pause_engine();
  void cut_engine();
  void depart();
  void arrive();
  void end(sharing_engine& engine);
  void resume(sharing_engine& engine);
  /// Whatever ends or begins by itself as time passes.
  void tick_engines();
  void calm_engines();
  void await_balance();

  // -- world_links.cpp: between engines

  void trouble_links();
  void tick_links();
  void calm_links();
  bool can_reach(engine_number one, engine_number other) const;
  /// An actor of the engine `there`, as `here` reaches it.
  template <class Handle>
  Handle seen(const sharing_engine& here, engine_number there,
              const Handle& real) {
    return links_ ? links_->seen(here.number, there, real) : real;
  }

  void list_left_engines();
  void look_up_deposits();

  // -- world_channels.cpp

  void step_of_channels();
  void publish_messages();
  void add_consumer();
  void crash_consumer();
  void order_a_topic();
  void consume_all();
  void attach_to_channel(simulated_processor::pointer self,
                         const std::shared_ptr<simulated_worker>& who);

  // -- world_equals.cpp

  static std::string queue_of_equals();
  void step_of_equals();
  void send_equals();
  void poll_equals();
  void end_equals();

  // -- world_fleeting.cpp

  void step_of_fleeting();
  void send_fleeting();
  void empty_fleeting();

  // -- world_notifying.cpp

  /// Of those that tell depositors, with what fails tried again soon.
  queue_changed outbox_as_set();
  void step_of_notifying();
  void add_teller();
  void crash_teller();
  /// What could not be told is tried again.
  void take_back_notifications();
  /// Whether the depositor is to be told of the end that a processor says.
  bool is_to_be_told();

  // -- world_questions.cpp

  std::size_t engines_lost() const;
  void ask_something();
  void ask_for_lists(const read_model_actor& reads);
  void forget_somebody(const read_model_actor& reads);
  void miss(const asked_question& what);
  /// Waits for answers of all that was asked, as long as any may come.
  void await_answers();
  /// At the end nobody has anything.
  void list_left_users();
  /// Every question has to be answered, or refused.
  template <class Answer, class Actor, class Request, class Then>
  void question(const char* name, const Actor& whom, Request what, Then then);

  // -- world_accounts.cpp: what is set of users, keys and operators

  void step_of_accounts();

  // -- world_renewals.cpp: claims are extended, given back and taken away

  void step_of_renewals();
  void renew_polled();
  void release_all();
  void trouble_worker();
  void renew_holdings(const simulated_worker& who);
  void leave_and_come_back(simulated_worker& who);
  void pause_asking(simulated_worker& who);

  // -- world_ages.cpp: what is over goes when it is old

  void step_of_ages();
  void list_aged();

  // -- world_files.cpp: deposits that bring their files

  void step_of_files();
  void send_file();
  void send_file(const std::string& user, const std::string& name,
                 const std::string& file);
  void read_file(bool again);
  void take_file(const submission_row& row, bool again);
  template <class Then>
  void ask_for_file(item_id id, Then then);
  void list_left_files();

  // -- world_blobs.cpp: deposits whose files are in the store of large ones

  void open_blobs();
  void set_blob_faults(bool on);
  void step_of_blobs();
  std::pair<std::string, std::string> some_file();
  std::string user_of_a_file();
  void deposit_kept();
  void produce_large();
  void order_file();
  void order_file_again();
  template <class Request>
  void order(Request what, const std::string& name, const std::string& user);
  template <class Then>
  void look_at_kept(item_id id, Then then);
  outcome with_its_file(std::uint32_t processor, const claimed_item& item,
                        const outcome& otherwise);
  void list_left_blobs();

  // -- world_ephemeral.cpp: channels that go with their last consumer

  void step_of_ephemeral();
  void add_ephemeral_consumer();
  void publish_ephemeral();
  /// As the door does: once attached it says so.
  void note_consumer(simulated_processor::pointer self,
                     const std::shared_ptr<simulated_worker>& who);
  void tell_consumer_left(const simulated_worker& who);
  void leave_ephemeral(bool quietly);
  void end_ephemeral();
  void list_left_channels();

  // -- world_backups.cpp: engines that go on from a backup

  void step_of_backups();
  void make_backup();
  void go_back_to_backup();
  brought_back lost_since(std::size_t entries) const;
  std::vector<reported> said_since(std::size_t entries) const;

  // -- world_inquiries.cpp

  void inquire();
  void inquire_of(const shards_actor& shards, const read_model_actor& reads);

  // -- world_by_hand.cpp

  void step_by_hand();
  void feed_some(const shards_actor& to, const std::string& source);

  // -- world_clients.cpp

  std::string any_user();
  std::string any_queue();
  /// `answered` gets each body with its number, 0 where it was refused.
  void send(enqueue message,
            std::function<void(const std::string&, item_id)> answered);
  /// Tells what the shard says of each body, and nothing else.
  void send(enqueue message);
  /// `kept` gets what the shard has taken.
  void deposit(submit message, std::function<void(const submitted&)> kept);
  void send_messages();
  void send_deposit();
  void step_of_synchronous();
  void send_synchronous();
  void end_synchronous();
  void look_up();
  void look_up_one();
  void poll();
  void end_polled();

  // -- world_processors.cpp

  void add_processor();
  void spawn_worker(std::shared_ptr<simulated_worker> who);
  void crash_processor();
  void end_worker(simulated_worker& who);
  void attach_worker(simulated_processor::pointer self,
                     const std::shared_ptr<simulated_worker>& who);
  void look_later(simulated_processor::pointer self, simulated_worker& who);
  void visit_shards(simulated_processor::pointer self,
                    const std::shared_ptr<simulated_worker>& who);
  void take_port(simulated_processor::pointer self,
                 const std::shared_ptr<simulated_worker>& who,
                 ports_opened::port found);
  void take_in(simulated_processor::pointer self, simulated_worker& who,
               const deliver& news);
  void report(simulated_processor::pointer self, simulated_worker& who,
              std::uint64_t hand_out);
  void say(simulated_processor::pointer self, simulated_worker& who,
           const outcome& what, std::uint32_t credit);
  simulated_processor::behavior_type
  behave(simulated_processor::pointer self,
         std::shared_ptr<simulated_worker> who);

  // -- world_operators.cpp

  void change(std::vector<event> changes, std::function<void()> then = {});
  void change_limits();
  void change_eligibility();
  void change_fairness();
  void change_queue();
  void suspend();
  void park();
  void cancel();
  void purge();

  // -- world_topics.cpp

  void open_topics();
  /// If they were not there from the first: a start later they are.
  void begin_topics();
  void add_partitions();
  void spawn_topics(simulated_engine& engine,
                    const shard_doors_actor& deposits);
  void produce();
  void produce_one();
  void trouble_brokers();
  void mend_brokers();
  void read_topics();

  // -- world_letters.cpp

  void open_letters();
  void send_letters_back();

  // -- world_sources.cpp

  void open_sources();
  void spawn_schedulers(simulated_engine& engine, const shards_actor& shards);
  source_changed source_as_set(const simulated_source& x) const;
  scheduler_changed scheduler_as_set() const;
  void move_source();
  sources_seen some_sources(chance& any) const;
  void tell_sources();
  void offer();
  void change_sources();
  void step_of_sources();
  std::vector<event> sources_mended() const;
  bool all_pulled() const;

  // -- world_nodes.cpp

  void begin_node();
  void trouble_node();
  /// What is due of it.
  void tick_node();
  void spawn_node();
  void join_node();
  /// Both sides notice that the connection is gone.
  void part_node();
  void doom_node();
  void end_node();
  void calm_node();

  // -- world_reviews.cpp: administrators are told of jobs that need them

  review_teller_actor spawn_reviews(read_model_actor reads,
                                    micros wall_offset_us,
                                    std::function<bool()> leads);
  void await_reviews();

  // -- world_deletions.cpp

  void open_office();
  void spawn_orders(simulated_engine& engine);
  void spawn_orders(sharing_engine& engine);
  /// Whether the engine has the first of the shards, and so does what one of
  /// several has to do.
  static std::function<bool()> leads(const sharing_engine& engine);
  static void end_orders(const order_actors& who);
  order_office::way_in office_of_some_engine();
  std::vector<std::string> order_queues() const;
  void step_of_deletions();
  /// Until all that was agreed to is queued.
  void drain_deletions();

  // -- world_moves.cpp

  void move_a_queue();
  std::string next_reference();

  // -- world_work.cpp

  /// Of the pipeline: splitting, stages in their order, reports. Empty if the
  /// life has none.
  std::vector<std::string> stage_queues() const;
  void tell_pipeline();
  pipeline pipeline_as_set() const;
  void step_of_work();
  void submit_work();
  void add_stage_worker(const std::string& queue);
  outcome stage_ended(const simulated_worker& who, const claimed_item& item);
  void split(const simulated_worker& who, const claimed_item& item,
             outcome& what);
  void rewrite(const simulated_worker& who, const claimed_item& item,
               outcome& what);
  /// By what a body that comes with the outcome is known.
  static std::string document_of(const simulated_worker& who,
                                 const outcome& what);
  void follow_work();
  void order_this_job(item_id id, work_action action, const std::string& stage);
  void order_this_batch(item_id id, work_action action);
  void order_work();
  void order_many();
  void hold_books();
  void wake_some();
  void mend_work(bool give_up);
  void drain_work();

  // -- world_pipelines.cpp: pipelines and collections that are changed

  void step_of_pipelines();
  pipeline some_pipeline(chance& any) const;
  pipeline pipeline_of_all() const;
  void change_collection();
  /// As all of it was at the beginning.
  std::vector<event> pipelines_mended() const;
  /// Whether a job can go on from there once they are.
  bool is_stage_of_old(const std::string& queue) const;

  // -- world_restarts.cpp: other configurations

  /// What the engine that starts is given of settings.
  void configure(depositd::engine::core_options& to);
  void change_file();
  void change_queue_in_file(chance& any);

  // -- world_end.cpp

  void calm_down();
  void mend_settings();
  bool settings_mended();
  void drain();
  void pull_all();
  bool all_gone() const;
  bool any_to_come_back() const; ///< from a delay or a claim
  bool any_delayed() const;
  void list_left_overs();
  void look_at_publisher(const simulated_engine& of);
};

} // namespace depositd::simulation

#include "tests/simulation/knobs.hpp"

#include <algorithm>
#include <sstream>

namespace depositd::simulation {

namespace {

struct switch_of {
  const char* name;
  bool knobs::*value;
};

constexpr switch_of switches[] = {
  {"shuffle", &knobs::shuffle},
  {"stalls", &knobs::stalls},
  {"clock_jumps", &knobs::clock_jumps},
  {"lost_appends", &knobs::lost_appends},
  {"unknown_appends", &knobs::unknown_appends},
  {"tiny_groups", &knobs::tiny_groups},
  {"no_budget", &knobs::no_budget},
  {"tight_disk", &knobs::tight_disk},
  {"bad_reads", &knobs::bad_reads},
  {"engine_crashes", &knobs::engine_crashes},
  {"lost_shards", &knobs::lost_shards},
  {"processor_crashes", &knobs::processor_crashes},
  {"processor_pauses", &knobs::processor_pauses},
  {"repeated_outcomes", &knobs::repeated_outcomes},
  {"leases", &knobs::leases},
  {"odd_criteria", &knobs::odd_criteria},
  {"polls", &knobs::polls},
  {"limit_changes", &knobs::limit_changes},
  {"holds", &knobs::holds},
  {"prohibitions", &knobs::prohibitions},
  {"suspensions", &knobs::suspensions},
  {"parking", &knobs::parking},
  {"skew", &knobs::skew},
  {"deposits", &knobs::deposits},
  {"limits", &knobs::limits},
  {"records", &knobs::records},
  {"poison", &knobs::poison},
  {"repeated_records", &knobs::repeated_records},
  {"broker_outages", &knobs::broker_outages},
};

constexpr switch_of switches_of_several[] = {
  {"departures", &knobs::departures},
  {"lost_meetings", &knobs::lost_meetings},
  {"lease_outages", &knobs::lease_outages},
  {"lease_doubts", &knobs::lease_doubts},
};

constexpr switch_of switches_of_work[] = {
  {"work_failures", &knobs::work_failures},
  {"work_leases", &knobs::work_leases},
  {"work_orders", &knobs::work_orders},
  {"collection_holds", &knobs::collection_holds},
};

constexpr switch_of switches_of_sources[] = {
  {"source_faults", &knobs::source_faults},
  {"source_repeats", &knobs::source_repeats},
  {"source_changes", &knobs::source_changes},
  {"bad_records", &knobs::bad_records},
};

/// Every fourth life; those of seeds.txt that are older have none.
constexpr std::uint64_t sources_salt = std::uint64_t{5'169} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t look_ups_salt = std::uint64_t{5605} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t synchronous_salt = std::uint64_t{122'339} << 32;

/// Every fifth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t channels_salt = std::uint64_t{614'083} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t cancels_salt = std::uint64_t{491'803} << 32;

/// Every seventh life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t equals_salt = std::uint64_t{497'411} << 32;

/// Every seventh life of one shard; those of seeds.txt and bug_seeds.txt that
/// are older have none.
constexpr std::uint64_t fleeting_salt = std::uint64_t{700'494} << 32;

/// Every seventh life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t costs_salt = std::uint64_t{883'001} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t notifying_salt = std::uint64_t{345'071} << 32;

/// Every seventh life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t queue_changes_salt = std::uint64_t{56'909} << 32;

/// Every fifth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t questions_salt = std::uint64_t{41'906'851} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t accounts_salt = std::uint64_t{940'362} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t renewals_salt = std::uint64_t{41'354'155} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t ages_salt = std::uint64_t{80'062'177} << 32;

/// Every seventh life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t files_salt = std::uint64_t{910'659} << 32;

/// Every seventh life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t ephemeral_salt = std::uint64_t{9'203'619} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t inquiries_salt = std::uint64_t{120'643'197} << 32;

/// Every fourth life with work; those of seeds.txt and bug_seeds.txt that are
/// older have none.
constexpr std::uint64_t pipeline_changes_salt = std::uint64_t{1'000'005} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t restarts_salt = std::uint64_t{3'869'727} << 32;

/// Every other life with sources; those of seeds.txt and bug_seeds.txt that are
/// older have none.
constexpr std::uint64_t by_hand_salt = std::uint64_t{3'363'569} << 32;

/// One of 17 lives of several engines, which is one of 50; those of seeds.txt
/// and bug_seeds.txt that are older have none.
constexpr std::uint64_t crowd_salt = std::uint64_t{1'299'709} << 32;

/// Every third life of several engines; those of seeds.txt and bug_seeds.txt
/// that are older have none.
constexpr std::uint64_t links_salt = std::uint64_t{27'644'437} << 32;

/// Every third life of one shard without topics and sources; those of seeds.txt
/// and bug_seeds.txt that are older have none.
constexpr std::uint64_t backups_salt = std::uint64_t{7'899} << 32;

/// Every fourth life of one shard with records; those of seeds.txt and
/// bug_seeds.txt that are older have none.
constexpr std::uint64_t late_topics_salt = std::uint64_t{7'139} << 32;

/// Every fourth life with records; those of seeds.txt and bug_seeds.txt that
/// are older have none.
constexpr std::uint64_t grown_topics_salt = std::uint64_t{366'723} << 32;

/// Every sixth life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t deletions_salt = std::uint64_t{52'562'685} << 32;

/// Every fourth life with records of which some are poison; those of seeds.txt
/// and bug_seeds.txt that are older have none.
constexpr std::uint64_t letters_salt = std::uint64_t{291} << 32;

/// Every third life with deletions where nothing gets old; those of seeds.txt
/// and bug_seeds.txt that are older have none.
constexpr std::uint64_t checks_salt = std::uint64_t{415'209} << 32;

/// Every third life with work; those of seeds.txt and bug_seeds.txt that are
/// older have none.
constexpr std::uint64_t wakes_salt = std::uint64_t{422'321} << 32;

/// Every seventh life; those of seeds.txt and bug_seeds.txt that are older have
/// none.
constexpr std::uint64_t blobs_salt = std::uint64_t{112'266'285} << 32;

/// Every third life with work whose clocks do not jump; those of seeds.txt and
/// bug_seeds.txt that are older have none.
constexpr std::uint64_t reviews_salt = std::uint64_t{610} << 32;

/// What a life may have besides messages.
constexpr switch_of switches_of_parts[] = {
  {"work", &knobs::work},       {"sources", &knobs::sources},
  {"moves", &knobs::moves},     {"node", &knobs::node},
  {"look_ups", &knobs::look_ups},
  {"synchronous", &knobs::synchronous}, {"channels", &knobs::channels},
  {"cancels", &knobs::cancels}, {"equals", &knobs::equals},
  {"fleeting", &knobs::fleeting}, {"costs", &knobs::costs},
  {"notifying", &knobs::notifying}, {"queue_changes", &knobs::queue_changes},
  {"questions", &knobs::questions}, {"accounts", &knobs::accounts},
  {"renewals", &knobs::renewals}, {"ages", &knobs::ages},
  {"files", &knobs::files}, {"ephemeral", &knobs::ephemeral},
  {"inquiries", &knobs::inquiries},
  {"pipeline_changes", &knobs::pipeline_changes},
  {"restarts", &knobs::restarts}, {"by_hand", &knobs::by_hand},
  {"links", &knobs::links}, {"crowd", &knobs::crowd},
  {"backups", &knobs::backups}, {"late_topics", &knobs::late_topics},
  {"grown_topics", &knobs::grown_topics}, {"deletions", &knobs::deletions},
  {"letters", &knobs::letters}, {"checks", &knobs::checks},
  {"wakes", &knobs::wakes},     {"blobs", &knobs::blobs},
  {"reviews", &knobs::reviews},
};

constexpr switch_of switches_of_nodes[] = {
  {"node_cuts", &knobs::node_cuts},
  {"node_deaf", &knobs::node_deaf},
  {"node_deaths", &knobs::node_deaths},
};

/// Every sixth life; those of seeds.txt that are older have none.
constexpr std::uint64_t node_salt = std::uint64_t{202} << 32;

/// Every fourth life; those of seeds.txt that are older have none.
constexpr std::uint64_t moves_salt = std::uint64_t{25489} << 32;

/// Every third life has batches; those of seeds.txt that are older have none.
constexpr std::uint64_t work_salt = std::uint64_t{4'071'847} << 32;

/// Every third life; those that once failed with one shard keep it.
constexpr std::uint64_t salt = std::uint64_t{131} << 32;

/// 1 to 200, small numbers as often as large ones.
std::uint32_t some_users(chance& by) {
  const std::uint32_t bounds[] = {1, 3, 8, 20, 60, 200};
  return by.between(1, bounds[by.below(6)]);
}

} // namespace

knobs::knobs(chance& by, std::uint64_t seed) {
  for (const auto& x : switches)
    this->*x.value = by.one_in(2);
  users = some_users(by);
  steps = by.between(20, 120);
  processors = by.between(1, 8);
  chance of_work{seed ^ work_salt};
  work = of_work.one_in(3);
  if (work) {
    for (const auto& x : switches_of_work)
      this->*x.value = of_work.one_in(2);
    stages = of_work.between(1, 4);
  }
  chance of_sources{seed ^ sources_salt};
  sources = of_sources.one_in(4);
  if (sources) {
    for (const auto& x : switches_of_sources)
      this->*x.value = of_sources.one_in(2);
    pulls = of_sources.between(1, 3);
  }
  moves = chance{seed ^ moves_salt}.one_in(4);
  look_ups = chance{seed ^ look_ups_salt}.one_in(6);
  synchronous = chance{seed ^ synchronous_salt}.one_in(6);
  channels = chance{seed ^ channels_salt}.one_in(5);
  cancels = chance{seed ^ cancels_salt}.one_in(6);
  equals = chance{seed ^ equals_salt}.one_in(7);
  costs = chance{seed ^ costs_salt}.one_in(7);
  notifying = chance{seed ^ notifying_salt}.one_in(6);
  queue_changes = chance{seed ^ queue_changes_salt}.one_in(7);
  questions = chance{seed ^ questions_salt}.one_in(5);
  accounts = chance{seed ^ accounts_salt}.one_in(6);
  renewals = chance{seed ^ renewals_salt}.one_in(6);
  inquiries = chance{seed ^ inquiries_salt}.one_in(6);
  pipeline_changes = work && chance{seed ^ pipeline_changes_salt}.one_in(4);
  restarts = chance{seed ^ restarts_salt}.one_in(6);
  by_hand = sources && chance{seed ^ by_hand_salt}.one_in(2);
  grown_topics = records && chance{seed ^ grown_topics_salt}.one_in(4);
  letters = records && poison && chance{seed ^ letters_salt}.one_in(4);
  files = chance{seed ^ files_salt}.one_in(7);
  blobs = chance{seed ^ blobs_salt}.one_in(7);
  deletions = chance{seed ^ deletions_salt}.one_in(6);
  wakes = work && chance{seed ^ wakes_salt}.one_in(3);
  ephemeral = chance{seed ^ ephemeral_salt}.one_in(7);
  channels = channels || ephemeral;
  chance of_ages{seed ^ ages_salt};
  ages = of_ages.one_in(6);
  if (ages) {
    kept_s = of_ages.between(3, 90);
    // What was forgotten is no repetition, and would be what is new.
    repeated_records = false;
    // Whose clock goes back or ahead keeps all for longer, or nothing.
    clock_jumps = false;
  }
  checks = deletions && !ages && chance{seed ^ checks_salt}.one_in(3);
  // Who does not know what span it is orders what is due once more.
  clock_jumps = clock_jumps && !checks;
  // What changed long ago by the clock is not looked for.
  reviews
    = work && !clock_jumps && chance{seed ^ reviews_salt}.one_in(3);
  chance of_node{seed ^ node_salt};
  node = of_node.one_in(6);
  if (node) {
    for (const auto& x : switches_of_nodes)
      this->*x.value = of_node.one_in(2);
    node_slots = of_node.between(1, 3);
  }
  chance apart{seed ^ salt};
  if (!apart.one_in(3)) {
    fleeting = chance{seed ^ fleeting_salt}.one_in(7);
    // Whoever goes on from a backup has told of what is not in it.
    backups = !records && !sources && !reviews
              && chance{seed ^ backups_salt}.one_in(3);
    late_topics = records && chance{seed ^ late_topics_salt}.one_in(4);
    return;
  }
  share(apart, seed);
}

/// Several engines with several shards.
void knobs::share(chance& apart, std::uint64_t seed) {
  shards = apart.between(2, 3);
  engines = apart.between(2, 3);
  for (const auto& x : switches_of_several)
    this->*x.value = apart.one_in(2);
  slots = apart.below(4);
  links = chance{seed ^ links_salt}.one_in(3);
  chance of_crowd{seed ^ crowd_salt};
  crowd = of_crowd.one_in(17);
  if (!crowd)
    return;
  engines = 10;
  shards = of_crowd.one_in(6) ? of_crowd.between(30, 100)
                              : of_crowd.between(4, 20);
  // Each takes as long as several of those with three.
  steps = std::min(steps, 40U);
}

namespace {

/// Calls `act` with every switch, in the order of the text.
template <class Act>
void each_switch(Act act) {
  for (const auto& x : switches)
    act(x);
  for (const auto& x : switches_of_several)
    act(x);
  for (const auto& x : switches_of_work)
    act(x);
  for (const auto& x : switches_of_sources)
    act(x);
  for (const auto& x : switches_of_nodes)
    act(x);
  for (const auto& x : switches_of_parts)
    act(x);
}

} // namespace

void knobs::lessen(const lessened& by) {
  for (const auto& name : by.without) {
    each_switch([&](const switch_of& x) {
      if (name == x.name)
        this->*x.value = false;
    });
    if (name == "ages")
      kept_s = 0;
    if (name == "work")
      pipeline_changes = wakes = reviews = false;
    if (name == "deletions")
      checks = false;
    if (name == "sources")
      by_hand = false;
    if (name == "records")
      late_topics = grown_topics = letters = false;
    if (name == "several") {
      shards = engines = 1;
      slots = 0;
      departures = lost_meetings = lease_outages = lease_doubts = links = crowd
        = false;
    }
    if (name == "crowd" && shards > 3)
      shards = engines = 3;
  }
  steps = std::min(steps, by.steps_max);
  users = std::min(users, std::max(by.users_max, 1U));
  processors = std::min(processors, std::max(by.processors_max, 1U));
}

std::vector<std::string> knobs::names() const {
  std::vector<std::string> out;
  if (shards > 1)
    out.emplace_back("several");
  each_switch([&](const switch_of& x) {
    if (this->*x.value)
      out.emplace_back(x.name);
  });
  return out;
}

std::string knobs::to_text() const {
  std::ostringstream out;
  out << "users=" << users << " steps=" << steps << " processors=" << processors
      << " shards=" << shards << " engines=" << engines << " slots=" << slots;
  if (work)
    out << " stages=" << stages;
  if (sources)
    out << " pulls=" << pulls;
  if (node)
    out << " node_slots=" << node_slots;
  each_switch([&](const switch_of& x) {
    if (this->*x.value)
      out << ' ' << x.name;
  });
  return out.str();
}

std::string lessened::to_text() const {
  std::ostringstream out;
  const auto list = [&](const char* option, const auto& of) {
    for (std::size_t i = 0; i < of.size(); ++i)
      out << (i == 0 ? option : ",") << of[i];
  };
  const auto bound = [&](const char* option, std::uint32_t x) {
    if (x != ~0U)
      out << option << x;
  };
  list(" --without ", without);
  bound(" --steps ", steps_max);
  bound(" --users ", users_max);
  bound(" --processors ", processors_max);
  list(" --skip ", skipped);
  if (variant != 0)
    out << " --variant " << variant;
  return out.str();
}

} // namespace depositd::simulation

// What a pick costs through the actors: the real queue actor in a real actor
// system, by number of users, by how many of them are blocked, by how many
// views name users, by what is shared out. One pick is three messages: a
// processor's `work` comes in, `hand_over` goes to the user's node, its
// `counts_changed` comes back. Nodes are stand-ins that have items for ever.
//
//   depositd_actors_benchmark [--picks N] [--shares-only]

#include "actors/queue/queue.hpp"
#include "messages/message_types.hpp"
#include "messages/processors.hpp"
#include "messages/queue.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <numeric>
#include <random>
#include <stdexcept>
#include <time.h>
#include <vector>

namespace {

using namespace depositd;

constexpr std::int32_t plenty = 1'000'000'000;

/// Picks under way at once, as of 16 processors with one item each.
constexpr std::uint32_t window = 16;

/// So many actors stand for all nodes.
constexpr std::uint32_t nodes_max = 1000;

std::string name_of(member_number m) {
  return "user-" + std::to_string(m);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec)
         + static_cast<double>(now.tv_nsec) / 1e9;
}

/// One run of picks; shared by the stand-ins, which run on one thread.
struct run_of_picks {
  std::uint64_t goal = 0;
  std::uint64_t picked = 0;
  std::uint32_t open = 0;
  std::promise<void> over;
};

struct world {
  queue_actor queue;
  std::uint32_t processor = 0; ///< whose credit is spent
  run_of_picks* run = nullptr;
};

/// Ends every pick at once and asks for the next.
void answer(caf::event_based_actor* self, world& in, const hand_over& x) {
  for (const auto& pick : x.picks) {
    counts_changed news;
    news.member = pick.member;
    news.answered = {{pick.band, pick.class_max, 1}};
    news.ready = {{pick.band, pick.class_max, -1}};
    news.claims_ended = 1;
    news.finished = 1;
    if (x.fair.by != fair_by::turns) {
      news.fair_since = x.fair.since;
      news.charged = pick.charge;
      news.cost = 100 + pick.member % 7 * 1'000; // small and large items
    }
    self->send(in.queue, std::move(news));
    auto& run = *in.run;
    ++run.picked;
    --run.open;
    if (run.picked + run.open < run.goal) {
      ++run.open;
      self->send(in.queue, settle_and_request{in.processor, 1, {}});
    } else if (run.open == 0) {
      run.over.set_value();
    }
  }
}

caf::behavior stand_in(caf::event_based_actor* self, world* in) {
  self->set_default_handler(caf::drop);
  return {
    [=](const hand_over& x) { answer(self, *in, x); },
  };
}

class crowd {
public:
  crowd(caf::actor_system& system, std::uint32_t users, bool blocked)
    : system_(system), self_(system) {
    queue::queue_options options;
    options.name = "bench";
    in_.queue = system.spawn(queue::queue, std::move(options));
    for (std::uint32_t i = 0; i < std::min(users, nodes_max); ++i)
      nodes_.push_back(system.spawn(stand_in, &in_));
    introduce_all(users, blocked);
    caf::anon_send(in_.queue, begin{users});
    in_.processor = attach_one({});
  }

  ~crowd() {
    for (const auto& x : nodes_)
      caf::anon_send_exit(x, caf::exit_reason::kill);
    caf::anon_send_exit(in_.queue, caf::exit_reason::kill);
    caf::anon_send_exit(idle_, caf::exit_reason::kill);
  }

  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;

  /// One more processor, which waits for nothing; its view has to be kept.
  void add_view(std::uint32_t users) {
    criteria wants;
    const auto count = std::min<std::uint32_t>(users, criteria_users_max - 1);
    for (std::uint32_t i = 0; i < count; ++i)
      wants.required.push_back(name_of(i * (users / count)));
    // Or equal criteria would share one view.
    wants.required.push_back("only-" + std::to_string(++views_));
    attach_one(wants);
  }

  /// What is shared out from now on.
  void share(fair_by by) {
    configure_queue what;
    what.fair = {by, by == fair_by::turns ? 0 : ++shares_};
    caf::anon_send(in_.queue, what);
    settle();
  }

  /// CPU nanoseconds per pick.
  double pick(std::uint64_t count) {
    run_of_picks run;
    run.goal = count;
    run.open = window;
    in_.run = &run;
    auto over = run.over.get_future();
    const auto before = cpu_seconds();
    caf::anon_send(in_.queue, settle_and_request{in_.processor, window, {}});
    over.wait();
    settle();
    return (cpu_seconds() - before) * 1e9 / static_cast<double>(count);
  }

private:
  void introduce_all(std::uint32_t users, bool blocked) {
    // Turns in random order, so that memory is not walked in sequence.
    std::vector<std::uint32_t> order(users);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937{42});
    const auto eligible = blocked ? std::max(users / 10'000, 1u) : users;
    for (std::uint32_t i = 0; i < users; ++i) {
      introduce x;
      x.member = order[i];
      x.user = name_of(order[i]);
      x.actor = caf::actor_cast<caf::strong_actor_ptr>(
        nodes_[i % nodes_.size()]);
      x.limits.allocation = 1 + order[i] % 2;
      if (i >= eligible) {
        x.limits.held = i % 2 == 0;
        x.limits.concurrency = i % 2 == 0 ? no_cap : 0;
      }
      x.stamp = i + 1;
      x.ready = {{0, 0, plenty}};
      x.items = plenty;
      caf::anon_send(in_.queue, std::move(x));
      if (i % 10'000 == 0)
        settle(); // a mailbox of a million would be measured too
    }
  }

  std::uint32_t attach_one(const criteria& wants) {
    if (!idle_)
      idle_ = caf::actor_cast<processor_actor>(
        system_.spawn([](caf::event_based_actor*) -> caf::behavior {
          return {[](const deliver&) {}};
        }));
    std::uint32_t number = 0;
    self_
      ->request(in_.queue, caf::infinite, attach{idle_, "bench", wants, 0})
      .receive([&](const attached& x) { number = x.processor; },
               [](const caf::error& why) {
                 throw std::runtime_error(render(why));
               });
    return number;
  }

  /// Returns when the queue has handled all that was sent before.
  void settle() {
    self_->request(in_.queue, caf::infinite, report_queue{})
      .receive([](const queue_report&) {},
               [](const caf::error& why) {
                 throw std::runtime_error(render(why));
               });
  }

  caf::actor_system& system_;
  caf::scoped_actor self_;
  world in_;
  std::vector<caf::actor> nodes_;
  processor_actor idle_;
  int views_ = 0;
  std::uint64_t shares_ = 0;
};

struct config : caf::actor_system_config {
  config() {
    add_depositd_messages(*this);
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{1});
  }
};

constexpr std::uint32_t views_counted[] = {0, 2, 8};

/// Figures by number of views.
using row = std::vector<double>;

row measure(std::uint32_t users, bool blocked, std::uint64_t picks) {
  config settings;
  caf::actor_system system{settings};
  row out;
  crowd ring{system, users, blocked};
  std::uint32_t views = 0;
  for (const auto wanted : views_counted) {
    for (; views < wanted; ++views)
      ring.add_view(users);
    ring.pick(picks / 10); // warm
    // The least of several: what others do on the machine only adds.
    auto best = ring.pick(picks);
    for (int i = 1; i < 5; ++i)
      best = std::min(best, ring.pick(picks));
    out.push_back(best);
  }
  return out;
}

constexpr fair_by shared[] = {fair_by::turns, fair_by::bytes, fair_by::seconds};
constexpr const char* words[] = {"turns", "bytes", "seconds"};

/// Figures by what is shared out, measured in turns, as the machine is not
/// equally fast all the time.
row measure_shares(std::uint32_t users, std::uint64_t picks) {
  config settings;
  caf::actor_system system{settings};
  crowd ring{system, users, false};
  row out(std::size(shared), 0);
  for (int i = 0; i < 5; ++i)
    for (std::size_t at = 0; at < out.size(); ++at) {
      ring.share(shared[at]);
      // Where each stands is known once everybody has had its turn.
      ring.pick(std::max<std::uint64_t>(picks / 10, 2 * users));
      const auto ns = ring.pick(picks);
      out[at] = i == 0 ? ns : std::min(out[at], ns);
    }
  return out;
}

void print_shares(std::uint64_t picks) {
  std::printf("\nby what is shared out, and against turns\n");
  for (const auto users : {10u, 1'000u, 1'000'000u}) {
    const auto found = measure_shares(users, picks);
    std::printf("%9u", users);
    for (std::size_t at = 0; at < found.size(); ++at)
      std::printf("  %s %6.0f %5.2f", words[at], found[at],
                  found[at] / found[0]);
    std::printf("\n");
    std::fflush(stdout);
  }
}

void print(std::uint32_t users, bool blocked, const row& x) {
  std::printf("%9u  %-15s", users, blocked ? "99.99 % blocked" : "eligible");
  for (const auto ns : x)
    std::printf("  %8.0f %10.0f/s", ns, 1e9 / ns);
  std::printf("\n");
  std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
  std::uint64_t picks = 200'000;
  bool shares_only = false;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--shares-only") == 0)
      shares_only = true;
    else if (std::strcmp(argv[i], "--picks") == 0 && i + 1 < argc)
      picks = std::strtoull(argv[++i], nullptr, 10);
    else
      picks = 0;
  if (picks < 1'000) {
    std::fprintf(stderr,
                 "usage: %s [--picks N] [--shares-only], N at least 1000\n",
                 argv[0]);
    return 2;
  }
  if (shares_only) {
    print_shares(picks);
    return 0;
  }
  std::printf("CPU ns per pick and picks per CPU second, all threads\n");
  std::printf("%9s  %-15s", "users", "of them");
  for (const auto views : views_counted)
    std::printf("  %19u views", views);
  std::printf("\n");
  row few;
  row many;
  for (const bool blocked : {false, true})
    for (const auto users : {10u, 1'000u, 1'000'000u}) {
      const auto found = measure(users, blocked, picks);
      print(users, blocked, found);
      if (users == 10 && !blocked)
        few = found;
      if (users == 1'000'000 && blocked)
        many = found;
    }
  std::printf("1,000,000 users, 99.99 %% blocked, to 10 users:");
  for (std::size_t i = 0; i < few.size(); ++i)
    std::printf("  %.2f", many[i] / few[i]);
  std::printf("  (floor: 2)\n");
  print_shares(picks);
}

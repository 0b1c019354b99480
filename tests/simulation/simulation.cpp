// Lives of engines, one for each seed.
//   simulation [--seeds N] [--first M] [--shard I/N]
//   simulation --bug NAME [--seeds N] [--first M] [--with KNOBS]
//   simulation --twice [--seeds N] [--first M]
//   simulation --seed S [--tell] [--without KNOBS] [--steps N] [--users N]
//              [--processors N] [--skip STEPS] [--variant N]
// Judges each life; prints the seeds of those that went wrong, how to run one
// alone, and of the first a shorter life that goes wrong in the same way
// (--shrink N: trying N lives, 0: none). --bug makes a mistake on purpose and
// demands that some life shows it; --with passes over lives without these
// knobs, where the mistake would never be made. --jobs shares the lives out to
// so many processes and says now and then how far they are; --shard runs every
// Nth seed. --twice lives each life two times; nothing may differ.

#include "tests/simulation/checker.hpp"
#include "tests/simulation/jobs.hpp"
#include "tests/simulation/shrink.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>
#include <string>

namespace {

using namespace depositd;
using namespace depositd::simulation;

constexpr std::uint64_t jobs_max = 64;

struct arguments {
  std::uint64_t seeds = 100;
  std::uint64_t first = 1;
  std::uint64_t part = 0;
  std::uint64_t parts = 1;
  std::uint64_t jobs = 1;
  std::uint64_t only = 0;
  bool tell = false;
  bool twice = false;
  std::string bug;
  std::vector<std::string> with;
  std::string always; ///< file of seeds that went wrong once
  /// Lives to try for that; nothing said: some, unless one is asked for.
  std::optional<std::uint32_t> shrink;

  std::uint32_t lives_to_shrink() const {
    return shrink.value_or(only == 0 ? 400 : 0);
  }

  lessened by;
};

int usage() {
  std::fprintf(stderr, "simulation [--seeds N] [--first M] [--jobs N] "
                       "[--shard I/N] [--always FILE] [--twice] [--shrink N] "
                       "[--bug NAME] [--with KNOBS] | "
                       "--seed S [--tell] [--without KNOBS] "
                       "[--steps N] [--users N] [--processors N] "
                       "[--skip STEPS] [--variant N]\n");
  return 2;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in{list};
  for (std::string word; std::getline(in, word, ',');)
    out.push_back(word);
  return out;
}

/// What is left out of a life.
bool read_less(const std::string& name, const char* text, lessened& out) {
  const auto number =
    static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  if (name == "--without")
    out.without = words_of(text);
  else if (name == "--steps")
    out.steps_max = number;
  else if (name == "--users")
    out.users_max = number;
  else if (name == "--processors")
    out.processors_max = number;
  else if (name == "--variant")
    out.variant = number;
  else if (name == "--skip")
    for (const auto& word : words_of(text))
      out.skipped.push_back(
        static_cast<std::uint32_t>(std::strtoul(word.c_str(), nullptr, 10)));
  else
    return false;
  return true;
}

bool read(int argc, char** argv, arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--tell" || name == "--twice") {
      (name == "--tell" ? out.tell : out.twice) = true;
      continue;
    }
    if (++i == argc)
      return false;
    char* rest = nullptr;
    const auto number = std::strtoull(argv[i], &rest, 10);
    if (name == "--seeds")
      out.seeds = number;
    else if (name == "--first")
      out.first = number;
    else if (name == "--seed")
      out.only = number;
    else if (name == "--jobs")
      out.jobs = number;
    else if (name == "--shrink")
      out.shrink = static_cast<std::uint32_t>(number);
    else if (name == "--bug")
      out.bug = argv[i];
    else if (name == "--with")
      out.with = words_of(argv[i]);
    else if (name == "--always")
      out.always = argv[i];
    else if (name == "--shard" && *rest == '/') {
      out.part = number;
      out.parts = std::strtoull(rest + 1, nullptr, 10);
    } else if (!read_less(name, argv[i], out.by))
      return false;
  }
  return out.parts > 0 && out.jobs > 0 && out.jobs <= jobs_max;
}

struct verdict_of_life : judged {
  std::uint64_t messages = 0;
};

verdict_of_life run_life(std::uint64_t seed, bool tell,
                         const lessened& by = {}) {
  world life{seed, by};
  life.live();
  const auto& told = life.told();
  verdict_of_life out{{life.settings(), told.entries.size(), check(told)},
                      life.messages()};
  if (tell) {
    std::cout << "seed " << seed << ": " << life.settings().to_text() << '\n';
    for (std::size_t i = 0; i < told.entries.size(); ++i)
      std::cout << i << ' ' << to_text(told.entries[i]) << '\n';
    std::cout << "digest " << digest_of(told) << '\n';
  }
  return out;
}

void print(std::uint64_t seed, const findings& wrong) {
  std::cout << "FAILED seed " << seed << " (simulation --seed " << seed
            << " --tell)\n";
  for (std::size_t i = 0; i < wrong.size() && i < 10; ++i)
    std::cout << "  " << wrong[i].invariant << " at " << wrong[i].at << ": "
              << wrong[i].what << '\n';
}

/// A shorter life with the same end.
void print_shrunk(std::uint64_t seed, const judged& whole,
                  std::uint32_t lives_max) {
  if (lives_max == 0)
    return;
  const auto least = shrink(
    whole,
    [=](const lessened& by) -> judged { return run_life(seed, false, by); },
    lives_max);
  std::cout << "  shrunk from " << whole.settings.steps << " steps and "
            << whole.facts << " facts to " << least.steps << " and "
            << least.life.facts << " in " << least.lives
            << " lives: simulation --seed " << seed << least.by.to_text()
            << " --tell\n    " << least.life.settings.to_text() << "\n    "
            << least.life.wrong.front().invariant << ": "
            << least.life.wrong.front().what << '\n';
}

std::vector<std::uint64_t> seeds_of(const arguments& wanted) {
  std::vector<std::uint64_t> out;
  if (wanted.only != 0)
    return {wanted.only};
  if (!wanted.always.empty()) {
    std::ifstream file{wanted.always};
    for (std::uint64_t seed = 0; file >> seed;)
      out.push_back(seed);
  }
  for (auto i = wanted.part; i < wanted.seeds; i += wanted.parts)
    out.push_back(wanted.first + i);
  return out;
}

bool has_all(std::uint64_t seed, const std::vector<std::string>& wanted) {
  chance by{seed};
  const auto names = knobs{by, seed}.names();
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

/// Runs lives until one is judged wrong.
int find_bug(const arguments& wanted) {
  std::uint64_t lived = 0;
  for (const auto seed : seeds_of(wanted)) {
    if (!has_all(seed, wanted.with))
      continue;
    ++lived;
    const auto life = run_life(seed, false);
    if (life.wrong.empty())
      continue;
    // It must be the mistake that shows.
    depositd::testing::seed_bug({});
    const auto without = run_life(seed, false);
    depositd::testing::seed_bug(wanted.bug);
    if (!without.wrong.empty())
      continue;
    std::set<std::string> invariants;
    for (const auto& x : life.wrong)
      invariants.insert(x.invariant);
    std::cout << "bug " << wanted.bug << ": caught by seed " << seed
              << " after " << lived << ',';
    for (const auto& x : invariants)
      std::cout << ' ' << x;
    std::cout << " (" << life.wrong.front().what.substr(0, 120) << ")\n";
    print_shrunk(seed, life, wanted.lives_to_shrink());
    return 0;
  }
  std::cout << "bug " << wanted.bug << ": NOT CAUGHT in " << lived
            << " lives\n";
  return 1;
}

std::uint64_t digest_of_life(std::uint64_t seed) {
  world life{seed};
  life.live();
  return digest_of(life.told());
}

int run_twice(const arguments& wanted) {
  const auto seeds = seeds_of(wanted);
  std::set<std::uint64_t> digests;
  for (const auto seed : seeds) {
    const auto first = digest_of_life(seed);
    if (digest_of_life(seed) != first) {
      std::cout << "FAILED seed " << seed << ": its second life differs\n";
      return 1;
    }
    digests.insert(first);
  }
  std::cout << seeds.size() << " lives, twice the same, " << digests.size()
            << " different ones\n";
  return digests.size() == seeds.size() ? 0 : 1;
}

void run_part(const arguments& wanted, totals& out) {
  constexpr std::uint64_t failed_max = 20;
  for (const auto seed : seeds_of(wanted)) {
    const auto life = run_life(seed, wanted.tell, wanted.by);
    ++out.lives;
    out.shared += life.settings.shards > 1;
    out.entries += life.facts;
    out.messages += life.messages;
    if (!life.wrong.empty()) {
      print(seed, life.wrong);
      std::cout.flush();
      if (out.failed++ == 0)
        print_shrunk(seed, life, wanted.lives_to_shrink());
      if (out.failed == failed_max)
        break;
    }
  }
}

/// Every process lives some of them.
void run_jobs(const arguments& wanted, totals& out) {
  const auto live = [&](std::uint64_t number, totals& to) {
    auto mine = wanted;
    mine.part = wanted.part + number * wanted.parts;
    mine.parts = wanted.parts * wanted.jobs;
    if (number > 0)
      mine.always.clear();
    run_part(mine, to);
  };
  share_out(wanted.jobs, wanted.seeds / wanted.parts, live, out);
}

int run_all(const arguments& wanted) {
  const auto begun = std::chrono::steady_clock::now();
  totals found{};
  if (wanted.jobs == 1)
    run_part(wanted, found);
  else
    run_jobs(wanted, found);
  const std::chrono::duration<double> took =
    std::chrono::steady_clock::now() - begun;
  std::cout << found.lives << " lives, " << found.shared
            << " of several engines, " << found.messages << " messages, "
            << found.entries << " facts, " << found.failed << " failed, "
            << took.count() << " s\n";
  return found.failed == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  arguments wanted;
  if (!read(argc, argv, wanted))
    return usage();
  // Failures are part of these lives.
  spdlog::set_level(wanted.tell ? spdlog::level::info : spdlog::level::off);
  depositd::testing::seed_bug(wanted.bug);
  if (!wanted.bug.empty())
    return find_bug(wanted);
  return wanted.twice ? run_twice(wanted) : run_all(wanted);
}

// Feeds readers of foreign bytes with bytes that are wrong in some way.
//
//   fuzzing [TARGET...] [--runs N] [--seed N] [--seconds S]
//           [--corpus FOLDER]
//   fuzzing TARGET --file FILE        what was found, once more
//
// The same seed makes the same bytes. FOLDER/TARGET/* are good texts as well,
// or once were bad ones: they are tried first. What breaks a promise is written
// to fuzz-TARGET.bin in the working folder, and so is what crashes: it is
// written before it is tried, if --careful is said.

#include "tests/fuzz/mutator.hpp"
#include "tests/fuzz/target.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

using namespace depositd::fuzz;

namespace {

struct options {
  std::vector<std::string> names;
  std::uint64_t runs = 20'000;
  std::uint64_t seed = 1;
  double seconds = 0; ///< instead of runs
  std::string file;
  std::string corpus;
  bool careful = false;
};

void keep(const target& x, const std::string& bytes) {
  std::ofstream{std::string{"fuzz-"} + x.name + ".bin", std::ios::binary}
    << bytes;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// In the order of their names: the same ones in the same order everywhere.
void add_corpus(target& x, const std::filesystem::path& corpus) {
  const auto folder = corpus / x.name;
  if (corpus.empty() || !std::filesystem::is_directory(folder))
    return;
  std::set<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator{folder})
    files.insert(file.path());
  for (const auto& file : files)
    x.seeds.push_back(read_file(file));
}

/// Nothing, or what does not hold.
std::optional<std::string> try_one(const target& x, const std::string& bytes,
                                   const options& how) {
  if (how.careful)
    keep(x, bytes);
  try {
    x.run(bytes);
  } catch (const std::exception& why) {
    keep(x, bytes);
    return why.what();
  }
  return std::nullopt;
}

/// Whether all held.
bool fuzz(const target& x, const options& how) {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t bytes_max = 20'000;
  mutator make{how.seed, x.seeds, bytes_max};
  const auto begin = clock::now();
  const auto end = begin + std::chrono::duration<double>{how.seconds};
  while (how.seconds > 0 ? clock::now() < end : make.made() < how.runs)
    if (const auto wrong = try_one(x, make.next(), how)) {
      std::printf("%s: %s (seed %llu, run %llu)\n", x.name, wrong->c_str(),
                  static_cast<unsigned long long>(how.seed),
                  static_cast<unsigned long long>(make.made()));
      return false;
    }
  const std::chrono::duration<double> took = clock::now() - begin;
  std::printf("%s: %llu runs, %.1f s\n", x.name,
              static_cast<unsigned long long>(make.made()), took.count());
  std::fflush(stdout);
  return true;
}

int again(const target& x, const options& how) {
  const auto wrong = try_one(x, read_file(how.file), how);
  std::printf("%s: %s\n", x.name, wrong ? wrong->c_str() : "held");
  return wrong ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Feeds readers of foreign bytes"};
  options how;
  app.add_option("target", how.names, "Which; all if none is named");
  app.add_option("--runs", how.runs, "Texts for each")->capture_default_str();
  app.add_option("--seed", how.seed)->capture_default_str();
  app.add_option("--seconds", how.seconds, "For each, instead of runs");
  app.add_option("--file", how.file, "One text, for one target");
  app.add_option("--corpus", how.corpus, "Folders of texts for each");
  app.add_flag("--careful", how.careful, "Keep each text before it is tried");
  CLI11_PARSE(app, argc, argv);
  spdlog::set_default_logger(spdlog::null_logger_mt("nothing"));
  bool held = true;
  std::size_t known = 0;
  for (auto& x : how.names.empty() ? all_targets() : named_targets()) {
    if (!how.names.empty()
        && std::find(how.names.begin(), how.names.end(), x.name)
             == how.names.end())
      continue;
    ++known;
    add_corpus(x, how.corpus);
    if (!how.file.empty())
      return again(x, how);
    held = fuzz(x, how) && held;
  }
  if (known == 0 || known < how.names.size()) {
    std::fprintf(stderr, "fuzzing: no such target; there are:");
    for (const auto& x : all_targets())
      std::fprintf(stderr, " %s", x.name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  return held ? 0 : 1;
}

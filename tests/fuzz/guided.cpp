// The same targets for libFuzzer, which keeps what reaches code that nothing
// reached before, and goes on from there (scripts/fuzz).
//
//   DEPOSITD_FUZZ_TARGET=NAME guided_fuzzing FOLDER... [-runs=N] [...]
//   DEPOSITD_FUZZ_TARGET=NAME guided_fuzzing FILE
//
// The name is in the environment, for libFuzzer calls itself with its own
// arguments. The first folder is given the target's good texts. What breaks a
// promise is kept in crash-*, as what crashes is.

#include "tests/fuzz/target.hpp"

#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

using namespace depositd::fuzz;

namespace {

target found;

void write_seeds(const std::filesystem::path& folder) {
  std::size_t number = 0;
  for (const auto& text : found.seeds)
    std::ofstream{folder / ("seed-" + std::to_string(++number)),
                  std::ios::binary}
      << text;
}

} // namespace

// What is undefined ends it so that libFuzzer keeps the bytes.
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const char* name = std::getenv("DEPOSITD_FUZZ_TARGET");
  for (auto& x : named_targets())
    if (name != nullptr && std::string{x.name} == name)
      found = std::move(x);
  if (found.run == nullptr) {
    std::fprintf(stderr, "guided_fuzzing: DEPOSITD_FUZZ_TARGET is none of:");
    for (const auto& x : all_targets())
      std::fprintf(stderr, " %s", x.name);
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  spdlog::set_default_logger(spdlog::null_logger_mt("nothing"));
  for (int i = 1; i < *argc; ++i)
    if (std::filesystem::is_directory((*argv)[i])) {
      write_seeds((*argv)[i]);
      break;
    }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size) {
  try {
    found.run({reinterpret_cast<const char*>(bytes), size});
  } catch (const std::exception& why) {
    std::fprintf(stderr, "%s: %s\n", found.name, why.what());
    std::abort();
  }
  return 0;
}

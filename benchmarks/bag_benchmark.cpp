// How long a bag takes to be read, digested and judged, compared with
// sha256sum over the same files: the floor is 1.5 times as long.

#include "adapters/bagit/checking.hpp"
#include "adapters/bagit/writing.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <string>

namespace depositd {

namespace {

namespace fs = std::filesystem;

struct plan {
  fs::path folder;
  std::size_t files = 10'000;
  std::size_t mean_bytes = 4'000;
};

int fail(const std::string& text) {
  std::cerr << "bag_benchmark: " << text << "\n";
  return 1;
}

/// The shortest of several runs, in seconds.
double seconds_of(const std::function<void()>& run) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

/// Random files, and a bag of them in a tar file.
caf::error make(const plan& x) {
  std::mt19937_64 chance{1};
  fs::create_directories(x.folder / "files");
  bagit::new_bag about;
  about.name = "bag";
  auto to = bagit::bag_writer::open(x.folder / "bag.tar", about);
  if (!to)
    return std::move(to.error());
  for (std::size_t i = 0; i < x.files; ++i) {
    const auto name = "a file with number " + std::to_string(i) + ".txt";
    std::string bytes(chance() % (2 * x.mean_bytes) + 1, '\0');
    for (auto& c : bytes)
      c = static_cast<char>(chance());
    std::ofstream{x.folder / "files" / name, std::ios::binary} << bytes;
    if (auto failure = to->add({.path = "data/some folder/" + name,
                                .source = x.folder / "files" / name}))
      return failure;
  }
  auto written = to->finish();
  return written ? caf::error{} : std::move(written.error());
}

int run(const plan& x) {
  if (auto failure = make(x))
    return fail(render(failure));
  const auto unpack = "tar -C '" + x.folder.string() + "' -xf '"
                      + (x.folder / "bag.tar").string() + "'";
  if (std::system(unpack.c_str()) != 0)
    return fail("tar failed");
  const auto sum = "find '" + (x.folder / "bag").string()
                   + "' -type f -print0 | xargs -0 sha256sum > /dev/null";
  bool good = true;
  const auto check = [&](const char* name,
                         std::vector<digest_algorithm> digests) {
    auto report =
      bagit::check_bag({x.folder / name, ""}, {.digests = std::move(digests)});
    good = good && report && report->valid();
  };
  const auto base = seconds_of([&] { good &= std::system(sum.c_str()) == 0; });
  std::printf("sha256sum        %8.3f s\n", base);
  const auto show = [&](const char* what, double seconds) {
    std::printf("%-16s %8.3f s  %.2f times\n", what, seconds, seconds / base);
  };
  // The bag has md5 and sha256: all of it is computed and compared.
  show("check, tar", seconds_of([&] { check("bag.tar", {}); }));
  show("check, folder", seconds_of([&] { check("bag", {}); }));
  show("and all digests", seconds_of([&] {
         check("bag.tar", {digest_algorithm::md5, digest_algorithm::sha1,
                           digest_algorithm::sha256, digest_algorithm::sha512});
       }));
  return good ? 0 : fail("a bag was not valid");
}

} // namespace

} // namespace depositd

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::cerr << "usage: bag_benchmark FOLDER [FILES [BYTES]]\n"
                 "makes a bag below FOLDER, which must not exist, and removes "
                 "it\n";
    return 2;
  }
  depositd::plan x;
  x.folder = argv[1];
  if (argc > 2)
    x.files = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3)
    x.mean_bytes = std::max(1ull, std::strtoull(argv[3], nullptr, 10));
  if (std::filesystem::exists(x.folder))
    return depositd::fail("the folder exists");
  std::filesystem::create_directories(x.folder);
  const auto code = depositd::run(x);
  std::error_code ignored;
  std::filesystem::remove_all(x.folder, ignored);
  return code;
}

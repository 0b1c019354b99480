#pragma once

// The store of large files in a life: it is full, or does not answer, now and
// then, and loses one for good.

#include "messages/ports/blob_store.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/knobs.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace depositd::simulation {

/// How it fails now. One in so many; 0: never.
struct blob_faults {
  std::uint32_t put_one_in = 0;
  std::uint32_t unheard_one_in = 0; ///< kept, but the caller hears failure
  std::uint32_t get_one_in = 0;
};

class simulated_blobs final : public blob_store {
public:
  struct surroundings {
    history* told = nullptr;
    chance* by = nullptr;
    std::function<micros()> now_us;
  };

  explicit simulated_blobs(surroundings around);

  caf::expected<std::string> put(std::string_view bytes) override;
  caf::expected<std::string> get(const std::string& sha256) override;
  caf::error backup(const std::filesystem::path& folder) override;

  /// Until then nothing of it can be written or read.
  void be_away_until(micros at_us);

  /// Some file is gone for good, if there are any.
  void lose_one();

  /// Whether nobody has lost it since it was kept.
  bool has(const std::string& sha256) const;

  /// From now on it holds what it held when that backup was made.
  void go_back(const std::filesystem::path& folder);

  /// What it said when it was asked for a file the last time.
  file_said said() const {
    return said_;
  }

  blob_faults faults;

private:
  struct kept {
    std::map<std::string, std::string> files;
    std::set<std::string> damaged; ///< of those that are gone
  };

  bool hits(std::uint32_t one_in);
  bool is_away() const;

  surroundings around_;
  kept kept_;
  std::map<std::filesystem::path, kept> copies_;
  micros away_until_us_ = 0;
  file_said said_ = file_said::given;
};

} // namespace depositd::simulation

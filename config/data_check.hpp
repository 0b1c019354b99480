#pragma once

// depositd check DIR: judges a data folder, or a backup, that no engine has.
// Nothing in it is changed; tables are copied and the copies opened.

#include "config/scratch_folder.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace depositd {

struct data_check_options {
  std::filesystem::path folder;
  bool blobs_elsewhere = false; ///< `blobs.path` or a bucket keeps them
  /// Where copies of the tables are made; they are as large as the tables.
  std::filesystem::path scratch = temporary_place();
  std::size_t faults_max = 1'000; ///< more are only counted
};

/// What was found.
struct data_judged {
  std::vector<std::string> facts;  ///< a line each, for people
  std::vector<std::string> faults; ///< a line each
  std::uint64_t faults_left_out = 0;
};

/// `ec::not_found` if the folder is no data folder, `ec::store_failed` if an
/// engine has it.
caf::expected<data_judged> check_data(const data_check_options& options);

/// The same for people. 0: sound; 1: faults; 2: it cannot be judged.
int tell_check(const data_check_options& options, std::ostream& out,
               std::ostream& problems);

} // namespace depositd

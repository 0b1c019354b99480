#pragma once

// What the inventory of a life says about checks: which files are due, and what
// might be given back to see whether that goes well.

#include "messages/ports/fixity_book.hpp"
#include "tests/support/chance.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace depositd::simulation {

/// An object, with the versions that are recorded of it.
struct simulated_object {
  std::string owner;
  std::string collection;
  std::vector<micros> recorded_us;        ///< by the inventory's time
  std::map<std::string, micros> files_us; ///< when each was checked last
};

using simulated_objects = std::map<std::string, simulated_object>;

/// Everything is due at any time, until nothing is broken any more: then what
/// was not checked since. Asks fail now and then before that.
class simulated_checks final : public fixity_book {
public:
  struct surroundings {
    simulated_objects* objects = nullptr;
    testing::chance* by = nullptr;
    std::function<bool()> is_calm;
    const micros* calm_since_us = nullptr;
  };

  explicit simulated_checks(surroundings around);

  caf::expected<std::vector<checked_file>>
  due(const fixity_query& x) override;
  caf::expected<std::optional<checked_file>>
  last_check(const std::string& object, const std::string& path) override;
  caf::expected<std::optional<std::vector<std::string>>>
  targets_of(const std::string& object, const stored_file& file) override;
  caf::error checked(const std::string& object, const std::string& path,
                     const premis_event& x) override;
  caf::expected<std::vector<spot_candidate>>
  spot_candidates(micros not_since_us, const std::vector<std::string>& cold,
                  std::uint32_t count_max) override;
  caf::error forget(const std::string& object,
                    const std::vector<premis_event>& events) override;

private:
  bool fails() const;

  surroundings around_;
};

} // namespace depositd::simulation

#include "tests/simulation/blobs.hpp"

#include "adapters/stores/files/sha256.hpp"

#include <iterator>
#include <utility>

namespace depositd::simulation {

namespace {

caf::error failure(const char* why) {
  return caf::make_error(ec::store_failed, std::string{why});
}

} // namespace

simulated_blobs::simulated_blobs(surroundings around)
  : around_(std::move(around)) {
  // nop
}

bool simulated_blobs::hits(std::uint32_t one_in) {
  return one_in > 0 && around_.by->one_in(one_in);
}

bool simulated_blobs::is_away() const {
  return around_.now_us() < away_until_us_;
}

caf::expected<std::string> simulated_blobs::put(std::string_view bytes) {
  if (is_away() || hits(faults.put_one_in))
    return failure("no space is left for the file");
  auto name = sha256_hex(bytes);
  kept_.files.try_emplace(name, bytes);
  kept_.damaged.erase(name);
  around_.told->add(around_.now_us(), file_kept{name});
  if (hits(faults.unheard_one_in))
    return failure("nobody knows whether the file is kept");
  return name;
}

caf::expected<std::string> simulated_blobs::get(const std::string& sha256) {
  said_ = file_said::away;
  if (is_away() || hits(faults.get_one_in))
    return failure("the file cannot be read now");
  const auto at = kept_.files.find(sha256);
  said_ = at == kept_.files.end() ? file_said::lost : file_said::given;
  if (at != kept_.files.end())
    return at->second;
  return kept_.damaged.contains(sha256)
           ? caf::make_error(ec::store_damaged, "other bytes than " + sha256)
           : caf::make_error(ec::not_found, "no file " + sha256);
}

caf::error simulated_blobs::backup(const std::filesystem::path& folder) {
  if (is_away() || hits(faults.get_one_in))
    return failure("the files cannot be copied now");
  copies_[folder.parent_path()] = kept_;
  return {};
}

void simulated_blobs::be_away_until(micros at_us) {
  away_until_us_ = at_us;
}

void simulated_blobs::lose_one() {
  if (kept_.files.empty())
    return;
  const auto count = static_cast<std::uint32_t>(kept_.files.size());
  const auto at = std::next(kept_.files.begin(), around_.by->below(count));
  if (around_.by->one_in(2))
    kept_.damaged.insert(at->first);
  kept_.files.erase(at);
}

bool simulated_blobs::has(const std::string& sha256) const {
  return kept_.files.contains(sha256);
}

void simulated_blobs::go_back(const std::filesystem::path& folder) {
  kept_ = copies_.at(folder);
  copies_.clear();
}

} // namespace depositd::simulation

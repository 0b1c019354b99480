#include "config/descriptors.hpp"

#include "adapters/doors/kit/listen.hpp"

#include <algorithm>
#include <limits>

#include <sys/resource.h>

namespace depositd {

namespace {

constexpr std::uint32_t admin_wanted = 64;
constexpr std::uint32_t least = 4;

/// A part of what there is, at most what is wanted.
std::uint32_t part(std::uint64_t spare, std::uint32_t eighths,
                   std::uint32_t wanted) {
  const auto some = std::max<std::uint64_t>(spare * eighths / 8, least);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(some, wanted));
}

} // namespace

descriptor_shares share_descriptors(std::uint64_t limit,
                                    const depositd_settings& settings) {
  const auto& node = settings.node.limits;
  const descriptor_shares wanted{settings.http.connections_max, admin_wanted,
                                 node.connections_max, node.unfinished_max};
  const std::uint64_t all = std::uint64_t{wanted.http} + wanted.admin
                            + wanted.node + wanted.node_unfinished;
  const auto spare = limit > kit::descriptors_held_back
                       ? limit - kit::descriptors_held_back
                       : 0;
  if (all <= spare)
    return wanted;
  return {part(spare, 4, wanted.http), part(spare, 1, wanted.admin),
          part(spare, 2, wanted.node), part(spare, 1, wanted.node_unfinished)};
}

descriptor_shares descriptor_shares_of(const depositd_settings& settings) {
  rlimit limit{};
  const bool known =
    getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return share_descriptors(known ? limit.rlim_cur
                                 : std::numeric_limits<std::uint64_t>::max(),
                           settings);
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace depositd

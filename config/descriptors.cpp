#include "config/descriptors.hpp"

#include "adapters/doors/kit/listen.hpp"

#include <algorithm>
#include <limits>

#include <sys/resource.h>

namespace depositd {

namespace {

constexpr std::uint32_t admin_wanted = 512;
constexpr std::uint32_t nsq_http_wanted = 512;
constexpr std::uint32_t least = 4;

/// A part of what there is, at most what is wanted.
std::uint32_t part(std::uint64_t spare, std::uint32_t eighths,
                   std::uint32_t wanted) {
  if (wanted == 0)
    return 0; // the door is closed
  const auto some = std::max<std::uint64_t>(spare * eighths / 8, least);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(some, wanted));
}

} // namespace

descriptor_shares share_descriptors(std::uint64_t limit,
                                    const depositd_settings& settings) {
  const auto& node = settings.node.limits;
  const auto& nsq = settings.nsq.limits;
  const bool queues = settings.nsq.is_open();
  const bool asked = settings.nsq.http.is_open();
  const descriptor_shares wanted{settings.http.connections_max,
                                 admin_wanted,
                                 node.connections_max,
                                 node.unfinished_max,
                                 queues ? nsq.connections_max : 0,
                                 queues ? nsq.unfinished_max : 0,
                                 asked ? nsq_http_wanted : 0};
  const std::uint64_t all = std::uint64_t{wanted.http} + wanted.admin
                            + wanted.node + wanted.node_unfinished + wanted.nsq
                            + wanted.nsq_unfinished + wanted.nsq_http;
  const auto spare = limit > kit::descriptors_held_back
                       ? limit - kit::descriptors_held_back
                       : 0;
  if (all <= spare)
    return wanted;
  // A third is for NSQ's clients, where there may be any, and a little for
  // those of its HTTP door.
  const auto api = asked ? spare / 12 : 0;
  const auto theirs = queues ? spare / 3 : 0;
  const auto ours = spare - theirs - api;
  return {part(ours, 4, wanted.http),   part(ours, 1, wanted.admin),
          part(ours, 2, wanted.node),   part(ours, 1, wanted.node_unfinished),
          part(theirs, 6, wanted.nsq),  part(theirs, 2, wanted.nsq_unfinished),
          part(api, 8, wanted.nsq_http)};
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

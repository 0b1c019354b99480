#pragma once

// What nsqlookupd answers over HTTP, told of this engine, so that nobody has to
// run one: every engine is its own directory.

#include "messages/topics.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::nsq_lookup {

/// How clients reach this engine, as nsqd tells of itself.
struct announced {
  std::string broadcast_address;
  std::string hostname;
  std::string version;
  std::uint16_t tcp_port = 0; ///< 0: there is no such door
  std::uint16_t http_port = 0;

  /// "address:port" of the HTTP door: what nsqadmin calls a node.
  std::string node() const;
};

/// Whether consumers can be sent here at all.
inline bool can_be_found(const announced& x) {
  return x.tcp_port != 0 && x.http_port != 0;
}

/// Channels of a topic, and who has it: this engine, unless it is hidden.
std::string lookup_document(const topics_listed::topic& of,
                            const announced& self, bool hidden);

std::string topics_document(const topics_listed& all);

/// None for a topic that does not exist.
std::string channels_document(const topics_listed& of);

/// `hidden` tells for each topic, in order, whether it is.
std::string nodes_document(const topics_listed& all, const announced& self,
                           const std::vector<bool>& hidden);

/// Topics that this engine is not named for, for a while: whoever removes a
/// topic wants that nobody finds it, and makes it again, meanwhile. Any thread.
class tombstones {
public:
  using time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds lifetime{45};
  static constexpr std::size_t count_max = 10'000;

  /// Nothing, if there are too many.
  void add(const std::string& topic, time now);

  bool has(const std::string& topic, time now) const;

private:
  mutable std::mutex guard_;
  std::map<std::string, time> until_; ///< by topic
};

} // namespace depositd::nsq_lookup

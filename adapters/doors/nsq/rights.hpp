#pragma once

// What a key may do with topics and channels, by whatever door it comes.

#include "adapters/doors/kit/keys.hpp"
#include "messages/values/endpoint.hpp"

#include <cstdint>
#include <string_view>

namespace depositd::nsq {

enum class topic_right : std::uint8_t {
  publish,    ///< a permit to `post` to `nsq/TOPIC`
  subscribe,  ///< a permit to `poll` from `nsq/TOPIC/CHANNEL`
  look,       ///< a permit for `get_status`
  administer, ///< create, delete, empty, pause: a permit for everything (`*`)
};

/// Whether the key may do it to the channel, or with an empty name to the topic
/// itself. A pattern `nsq/TOPIC*` covers the topic's channels, too.
bool may(const kit::api_key& key, topic_right what, std::string_view topic,
         std::string_view channel = {});

/// Whether those without a login are served at a door that listens there:
/// `nsq.anonymous` says so, or nobody from outside can come.
bool serves_anonymous(const endpoint& listen, bool anonymous);

} // namespace depositd::nsq

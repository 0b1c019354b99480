#pragma once

// What librdkafka says of itself every ten seconds, for metrics.

#include <string>
#include <string_view>

namespace depositd::kafka {

/// Notes what waits in the client, failed requests, and the round trips to its
/// brokers. What is no such document is passed.
void note_statistics(const std::string& client, std::string_view document);

/// The client is gone.
void forget_statistics(const std::string& client);

} // namespace depositd::kafka

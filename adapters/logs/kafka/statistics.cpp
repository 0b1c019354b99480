#include "adapters/logs/kafka/statistics.hpp"

#include "messages/values/json_text.hpp"
#include "messages/values/tallies.hpp"

#include <nlohmann/json.hpp>

namespace depositd::kafka {

namespace {

using json = nlohmann::json;

double number_in(const json& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_number() ? at->get<double>() : 0;
}

} // namespace

void note_statistics(const std::string& client, std::string_view document) {
  const auto all = json_of(document);
  if (!all.is_object())
    return;
  note_value(tally_of::kafka_queued, client, {}, number_in(all, "msg_cnt"));
  double failed = 0;
  const auto brokers = all.find("brokers");
  if (brokers != all.end() && brokers->is_object())
    for (const auto& [name, broker] : brokers->items()) {
      if (!broker.is_object())
        continue;
      failed += number_in(broker, "txerrs");
      const auto rtt = broker.find("rtt");
      // Nothing was measured of a broker that nothing was said to.
      if (rtt != broker.end() && rtt->is_object() && number_in(*rtt, "cnt") > 0)
        note_value(tally_of::kafka_rtt_us, client, name,
                   number_in(*rtt, "avg"));
    }
  note_value(tally_of::kafka_tx_errors, client, {}, failed);
}

void forget_statistics(const std::string& client) {
  for (const auto what : {tally_of::kafka_queued, tally_of::kafka_tx_errors,
                          tally_of::kafka_rtt_us})
    forget_value(what, client);
}

} // namespace depositd::kafka

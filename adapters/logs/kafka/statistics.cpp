#include "adapters/logs/kafka/statistics.hpp"

#include "messages/values/json_text.hpp"
#include "messages/values/tallies.hpp"

#include <nlohmann/json.hpp>

#include <charconv>

namespace depositd::kafka {

namespace {

using json = nlohmann::json;

double number_in(const json& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_number() ? at->get<double>() : 0;
}

/// Calls `use` with each name in the object `key`, and the object of that name.
template <class F>
void each_in(const json& from, const char* key, F use) {
  const auto all = from.find(key);
  if (all == from.end() || !all->is_object())
    return;
  for (const auto& [name, one] : all->items())
    if (one.is_object())
      use(name, one);
}

} // namespace

void note_statistics(const std::string& client, std::string_view document) {
  const auto all = json_of(document);
  if (!all.is_object())
    return;
  note_value(tally_of::kafka_queued, client, {}, number_in(all, "msg_cnt"));
  double failed = 0;
  each_in(all, "brokers", [&](const std::string& name, const json& broker) {
    failed += number_in(broker, "txerrs");
    const auto rtt = broker.find("rtt");
    // Nothing was measured of a broker that nothing was said to.
    if (rtt != broker.end() && rtt->is_object() && number_in(*rtt, "cnt") > 0)
      note_value(tally_of::kafka_rtt_us, client, name, number_in(*rtt, "avg"));
  });
  note_value(tally_of::kafka_tx_errors, client, {}, failed);
}

held_offsets held_offsets_in(std::string_view document) {
  held_offsets out;
  const auto all = json_of(document);
  if (!all.is_object())
    return out;
  each_in(all, "topics", [&](const std::string& topic, const json& of_topic) {
    each_in(of_topic, "partitions", [&](const std::string& name,
                                        const json& x) {
      std::int32_t number = -1; // as is what belongs to no partition
      std::from_chars(name.data(), name.data() + name.size(), number);
      const auto shown = static_cast<std::int64_t>(number_in(x, "ls_offset"));
      const auto end = static_cast<std::int64_t>(number_in(x, "hi_offset"));
      // Below zero: not known.
      if (number >= 0 && shown >= 0 && shown < end)
        out[{topic, number}] = shown;
    });
  });
  return out;
}

void forget_statistics(const std::string& client) {
  for (const auto what : {tally_of::kafka_queued, tally_of::kafka_tx_errors,
                          tally_of::kafka_rtt_us})
    forget_value(what, client);
}

} // namespace depositd::kafka

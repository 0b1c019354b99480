#include "tests/simulation/checker.hpp"

#include "messages/values/codec.hpp"

#include <map>

namespace depositd::simulation {

void check_recovery(const history& x, findings& out) {
  for (std::size_t i = 0; i < x.entries.size(); ++i)
    if (const auto* found = std::get_if<recovered>(&x.entries[i].what);
        found != nullptr && found->from_tables != found->from_log)
      out.push_back({"I-17", i,
                     "a start finds\n" + found->from_tables
                       + "and the log says\n" + found->from_log});
}

void check_liveness(const history& x, findings& out) {
  for (std::size_t i = 0; i < x.entries.size(); ++i)
    if (const auto* rest = std::get_if<left_over>(&x.entries[i].what))
      out.push_back({"I-18", i, rest->what});
}

void check_settings(const history& x, findings& out) {
  std::map<std::string, std::size_t> durable; // newest event of its bytes
  std::map<std::uint32_t, std::pair<const proposed*, std::size_t>> asked;
  const auto bytes_of = [](event what) {
    std::string bytes;
    if (auto* fair = std::get_if<fairness_changed>(&what))
      fair->since = 0; // is given by who takes it
    encode(what, bytes);
    return bytes;
  };
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* record = std::get_if<journalled>(&what)) {
      if (record->user.empty())
        durable[bytes_of(record->what)] = i;
    } else if (const auto* wish = std::get_if<proposed>(&what)) {
      asked[wish->number] = {wish, i};
    } else if (const auto* done = std::get_if<in_force>(&what)) {
      const auto& [wish, at] = asked.at(done->number);
      for (const auto& change : wish->changes) {
        const auto found = durable.find(bytes_of(change));
        if (found == durable.end() || found->second < at)
          out.push_back(
            {"C-1", i,
             "change #" + std::to_string(done->number) + " was not durable"});
      }
    }
  }
}

findings check(const history& x) {
  findings out;
  for (const auto judge : {check_nothing_lost,
                           check_nothing_invented,
                           check_unanswered,
                           check_look_ups,
                           check_no_doubles,
                           check_caps,
                           check_states,
                           check_claims,
                           check_attempts,
                           check_fairness,
                           check_prohibited,
                           check_work,
                           check_reviews,
                           check_holds,
                           check_watermarks,
                           check_egress,
                           check_dead_letters,
                           check_bodies,
                           check_recovery,
                           check_liveness,
                           check_settings,
                           check_settings_everywhere,
                           check_leases,
                           check_moves,
                           check_channels,
                           check_equals,
                           check_fleeting,
                           check_notifying,
                           check_cancelled,
                           check_renewals,
                           check_marks,
                           check_configured,
                           check_backups,
                           check_deletions,
                           check_checks,
                           check_letters,
                           check_files})
    judge(x, out);
  return out;
}

} // namespace depositd::simulation

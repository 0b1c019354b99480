// How long claims last: as long as their holders were told, and no longer than
// they want them.

#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace depositd::simulation {

namespace {

constexpr const char* expired_text = "claim expired";

/// A claim without a deadline lasts as long as its processor.
micros end_of(micros deadline_us) {
  return deadline_us == never ? std::numeric_limits<micros>::max()
                              : deadline_us;
}

struct renewal_checker {
  struct lasting {
    claim_token token = 0;
    micros until_us = 0;
    std::string queue;
    std::string processor;
  };
  struct wish {
    const renewal_wanted* what = nullptr;
    micros until_us = 0; ///< by the engine's clock
    std::map<item_id, claim_token> of; ///< claims that there were then
  };

  findings& out;
  micros wall_began_us;
  std::map<item_id, lasting> claims; ///< that there are
  std::map<std::uint32_t, wish> wishes;
  std::set<item_id> extended; ///< items of which somebody wanted that

  void complain(std::size_t at, item_id id, const std::string& what) {
    out.push_back({"K-1", at, "the claim on item " + std::to_string(id) + ' '
                                + what});
  }

  bool knows_time() const {
    return wall_began_us != 0;
  }

  void want(const renewal_wanted& x, micros at_us) {
    auto& fresh = wishes[x.number];
    fresh.what = &x;
    fresh.until_us = wall_began_us + at_us + micros{x.lease_ms} * 1000;
    if (x.lease_ms > 0)
      extended.insert(x.ids.begin(), x.ids.end());
    for (const auto& [id, claim] : claims)
      if (claim.queue == x.queue
          && (x.all
              || std::find(x.ids.begin(), x.ids.end(), id) != x.ids.end()))
        fresh.of.emplace(id, claim.token);
  }

  void hear(const renewed_as_wanted& x, std::size_t at) {
    const auto& told = wishes.at(x.number);
    for (const auto& [id, token] : told.of) {
      const auto found = claims.find(id);
      if (found == claims.end() || found->second.token != token)
        continue;
      if (told.what->lease_ms == 0)
        complain(at, id, "was to end, and stands");
      else if (knows_time() && found->second.until_us < told.until_us)
        complain(at, id, "was to last, and does not");
    }
  }

  /// Pollers and processors outside extend nothing by themselves.
  static bool is_outside(const lasting& x) {
    return x.processor == "poller" || x.processor.starts_with("sp");
  }

  void renew(const claim_renewed& x, std::size_t at) {
    const auto found = claims.find(x.id);
    if (found == claims.end())
      return; // I-6
    auto& claim = found->second;
    if (end_of(x.deadline_us) < claim.until_us)
      complain(at, x.id, "ends earlier than was said");
    if (is_outside(claim) && !extended.contains(x.id))
      complain(at, x.id, "lasts longer, and nobody wanted that");
    claim.until_us = end_of(x.deadline_us);
  }

  void end(item_id id, const std::string& why, micros at_us, std::size_t at) {
    const auto found = claims.find(id);
    if (found == claims.end())
      return;
    if (knows_time() && why.find(expired_text) != why.npos
        && found->second.until_us > wall_began_us + at_us)
      complain(at, id, "ended before its time");
    claims.erase(found);
  }

  void see(const event& what, micros at_us, std::size_t at) {
    if (const auto* claim = std::get_if<item_claimed>(&what))
      claims[claim->id] = {claim->token, end_of(claim->deadline_us),
                           claim->queue, claim->processor};
    else if (const auto* later = std::get_if<claim_renewed>(&what))
      renew(*later, at);
    else if (const auto* back = std::get_if<item_released>(&what))
      end(back->id, back->reason, at_us, at);
    else if (const auto* over = std::get_if<item_finished>(&what))
      end(over->id, over->reason, at_us, at);
    else if (std::holds_alternative<item_moved>(what)
             || std::holds_alternative<job_moved>(what)
             || std::holds_alternative<batch_moved>(what))
      claims.erase(id_in(what));
  }
};

} // namespace

void check_renewals(const history& x, findings& out) {
  renewal_checker all{out, x.wall_began_us, {}, {}, {}};
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& [at_us, what] = x.entries[i];
    if (const auto* record = std::get_if<journalled>(&what))
      all.see(record->what, at_us, i);
    else if (const auto* wish = std::get_if<renewal_wanted>(&what))
      all.want(*wish, at_us);
    else if (const auto* told = std::get_if<renewed_as_wanted>(&what))
      all.hear(*told, i);
  }
}

} // namespace depositd::simulation

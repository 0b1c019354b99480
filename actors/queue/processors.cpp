// Processors of a queue: who attaches, who is back after a restart with claims
// in hand, who is gone.

#include "actors/journal/gather.hpp"
#include "actors/queue/parts.hpp"
#include "messages/values/names.hpp"

#include <algorithm>

namespace depositd::queue {

namespace {

/// More than "node/processor/slot" ever has.
constexpr std::size_t processor_name_bytes_max = 1024;

/// Claims end by this name, and have it in the journal.
caf::error check_name(const std::string& name) {
  if (name.empty())
    return caf::make_error(ec::invalid_argument,
                           std::string{"a processor needs a name"});
  if (name.size() > processor_name_bytes_max)
    return caf::make_error(ec::too_large,
                           "a processor's name is longer than "
                             + std::to_string(processor_name_bytes_max)
                             + " bytes");
  return {};
}

caf::error check(const criteria& x) {
  if (x.required.size() + x.preferred.size() + x.excluded.size()
      > criteria_users_max)
    return caf::make_error(ec::too_large, "more than "
                                            + std::to_string(criteria_users_max)
                                            + " users in the criteria");
  if (x.size_max == 0)
    return caf::make_error(ec::invalid_argument,
                           std::string{"a maximum size of 0 fits nothing"});
  return {};
}

/// The name that claims carry: unique among the processors that live, and none
/// that a user may have, under whose names doors claim.
std::string unique_name(self_pointer self, const std::string& wanted) {
  const bool plain = legal_user_name(wanted);
  const auto taken = [&](const std::string& name) {
    return std::any_of(
      self->state.processors.begin(), self->state.processors.end(),
      [&](const auto& entry) { return entry.second.name == name; });
  };
  auto name = plain ? wanted + "~1" : wanted;
  for (int i = 2; taken(name); ++i)
    name = wanted + "~" + std::to_string(i);
  return name;
}

/// Whether work of a stage is spread over several processes.
void look_where_all_are(self_pointer self) {
  auto& state = self->state;
  const auto& all = state.processors;
  state.one_process =
    std::all_of(all.begin(), all.end(), [&](const auto& entry) {
      return entry.second.actor.node() == all.begin()->second.actor.node();
    });
}

/// A new size class: every user's actor counts its ready items again.
caf::error add_class(self_pointer self, std::uint64_t size_max) {
  auto& state = self->state;
  const auto before = state.classes.limits().size();
  if (!state.classes.add(size_max))
    return caf::make_error(ec::invalid_argument,
                           std::string{"more than 8 distinct maximum sizes"});
  if (state.classes.limits().size() == before)
    return {};
  ++state.classes_version;
  state.ring.insert_class(state.classes.of_limit(size_max));
  for (auto& member : state.members)
    if (member.actor)
      self->send(member.actor, reclassify{state.options.number, state.classes,
                                          state.classes_version});
  return {};
}

std::uint32_t add_processor(self_pointer self, const attach& x) {
  auto& state = self->state;
  const auto number = ++state.processors_last;
  queue_processor fresh;
  fresh.actor = x.who;
  fresh.name = unique_name(self, x.name);
  fresh.wants = x.wants;
  fresh.view =
    state.ring.open_view(x.wants, state.classes.of_limit(x.wants.size_max));
  fresh.local = x.who.node() == self->node();
  fresh.lease_ms =
    fresh.local || x.lease_ms > 0 ? x.lease_ms : state.options.remote_lease_ms;
  state.processors.emplace(number, std::move(fresh));
  look_where_all_are(self);
  self->monitor(x.who);
  return number;
}

/// Whoever attaches twice from one address has lost its first number: its
/// claims are for the second to name. True if there was a first.
bool forget_earlier(self_pointer self, const processor_actor& who) {
  auto& state = self->state;
  return 0 < std::erase_if(state.processors, [&](const auto& entry) {
           if (entry.second.actor != who)
             return false;
           state.ring.stop_waiting(entry.first);
           state.watchers.erase(entry.first);
           state.ring.close_view(entry.second.view);
           entry.second.served.for_each(
             [&](auto member) { state.survivors.insert(member); });
           return true;
         });
}

// -- coming back --------------------------------------------------------------

/// Claims of one user that a processor names.
struct named_claims {
  std::vector<renew::claim> claims;
  std::vector<std::size_t> positions; ///< in `attach::holds`
};

/// By user's number, of users who have something in the queue. Those whose
/// claims survived a restart are asked even if none of theirs is named: what is
/// not named ends.
std::unordered_map<member_number, named_claims>
claims_by_member(self_pointer self, const std::vector<held_claim>& holds) {
  const auto& state = self->state;
  std::unordered_map<member_number, named_claims> out;
  for (const auto member : state.survivors)
    out.try_emplace(member);
  for (std::size_t i = 0; i < holds.size(); ++i) {
    const auto [first, last] =
      state.members_by_digest.equal_range(digest_of_user(holds[i].user));
    for (auto at = first; at != last; ++at)
      if (state.members[at->second].user == holds[i].user) {
        auto& named = out[at->second];
        named.claims.push_back({holds[i].id, holds[i].token});
        named.positions.push_back(i);
      }
  }
  return out;
}

void take_adopted(self_pointer self, attached& answer, member_number member,
                  const named_claims& named, const claims_adopted& x) {
  for (std::size_t i = 0; i < named.positions.size(); ++i)
    if (i < x.in_force.size() && x.in_force[i] != 0) {
      answer.members[named.positions[i]] = member;
      if (auto* processor = find_processor(self, answer.processor))
        ++processor->holds;
    }
}

/// Nobody can be asked for a claim of a user who has nothing here any more.
/// What ended it may still be on its way to the journal (recovery ends claims
/// whose attempts are used up), and nobody may hear of it before it is there.
void ask_journal(self_pointer self, const journal::gathering<attached>& all) {
  all.ask<done>(self, queue_self{self}, caf::infinite, journal::pass_journal{},
                journal::only_counts);
}

/// Answered when the users' nodes have been asked for the claims.
caf::result<attached> welcome_back(self_pointer self, std::uint32_t number,
                                   const std::vector<held_claim>& holds) {
  auto& processor = *find_processor(self, number);
  const auto ask_all = [&](const journal::gathering<attached>& all) {
    std::size_t asked = 0;
    for (auto& [member, named] : claims_by_member(self, holds)) {
      asked += named.claims.size();
      processor.served.insert(member);
      adopt_claims what{self->state.options.number, processor.name,
                        processor.lease_ms, named.claims};
      // Who cannot write down what ended a claim answers an error: no word of
      // it may go out then, and whoever attaches comes again.
      all.ask<claims_adopted>(
        self, self->state.members[member].actor, caf::infinite, std::move(what),
        [=, whose = member, named = named](attached& answer,
                                           const claims_adopted& x) {
          take_adopted(self, answer, whose, named, x);
        });
    }
    if (asked < holds.size())
      ask_journal(self, all);
  };
  return journal::gather<attached>(
    self, ask_all,
    {number, std::vector<std::uint32_t>(holds.size(), no_member)});
}

} // namespace

queue_processor* find_processor(self_pointer self, std::uint32_t number) {
  const auto at = self->state.processors.find(number);
  return at == self->state.processors.end() ? nullptr : &at->second;
}

caf::result<attached> attach_processor(self_pointer self, const attach& x) {
  if (auto wrong = check_name(x.name))
    return wrong;
  if (auto wrong = check(x.wants))
    return wrong;
  if (x.holds.size() > credit_max)
    return caf::make_error(ec::too_large,
                           std::string{"more claims than one may hold"});
  if (auto full = add_class(self, x.wants.size_max))
    return full;
  const auto again = forget_earlier(self, x.who);
  const auto number = add_processor(self, x);
  if (x.holds.empty() && !again && find_processor(self, number)->local)
    return attached{number, {}};
  return welcome_back(self, number, x.holds);
}

namespace {

/// Its claims end when the users' actors have heard of it.
void end_processor(self_pointer self, std::uint32_t number) {
  auto& state = self->state;
  const auto& processor = state.processors.at(number);
  state.ring.stop_waiting(number);
  state.ring.close_view(processor.view);
  processor.served.for_each([&](auto member) {
    if (auto* known = find_member(self, member))
      self->send(known->actor,
                 release_claims{state.options.number, processor.name});
  });
  state.watchers.erase(number);
  state.processors.erase(number);
}

void serve_others(self_pointer self) {
  look_where_all_are(self);
  serve_waiting(self); // those of one process may fetch ahead again
}

} // namespace

void remove_processor(self_pointer self, std::uint32_t number) {
  if (find_processor(self, number) == nullptr)
    return;
  end_processor(self, number);
  serve_others(self);
}

void processor_down(self_pointer self, const caf::down_msg& x) {
  const bool all = x.reason == caf::exit_reason::remote_link_unreachable;
  std::vector<std::uint32_t> gone;
  for (const auto& [number, processor] : self->state.processors)
    if (processor.actor.address() == x.source
        || (all && processor.actor.node() == x.source.node()))
      gone.push_back(number);
  for (auto number : gone)
    end_processor(self, number);
  if (!gone.empty())
    serve_others(self);
}

void touch(self_pointer self, const renew_claims& x) {
  auto* processor = find_processor(self, x.processor);
  if (processor == nullptr || processor->lease_ms == 0)
    return;
  std::unordered_map<member_number, renew> by_member;
  for (const auto& claim : x.claims) {
    auto& message = by_member[claim.member];
    message.queue = self->state.options.number;
    message.lease_ms = x.lease_ms != 0 ? x.lease_ms : processor->lease_ms;
    message.claims.push_back({claim.id, claim.token});
  }
  for (auto& [number, message] : by_member)
    if (auto* member = find_member(self, number))
      self->send(member->actor, std::move(message));
}

void tell_holders(self_pointer self, const claims_purged& x) {
  std::unordered_map<std::string, deliver> by_name;
  for (const auto& claim : x.claims)
    by_name[claim.processor].purged.push_back(claim.id);
  for (const auto& [number, processor] : self->state.processors)
    if (const auto told = by_name.find(processor.name); told != by_name.end())
      self->send(processor.actor, std::move(told->second));
}

} // namespace depositd::queue

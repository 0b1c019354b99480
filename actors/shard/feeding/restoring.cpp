// After a crash: what was known of records, and whose items they are.

#include "actors/shard/feeding/feeding.hpp"

#include <utility>

namespace depositd::shard {

namespace {

/// Which of the user's queues has the item, and whether somebody has claimed
/// it. The journal moves items without their records.
struct whereabouts {
  const std::string* queue = nullptr; ///< null: nowhere
  bool claimed = false;
};

whereabouts find_item_of(const std::map<std::string, rules::ledger>& ledgers,
                         item_id id) {
  for (const auto& [queue, ledger] : ledgers)
    if (ledger.token_of(id) != 0)
      return {&queue, true};
    else if (ledger.glance(id))
      return {&queue, false};
  return {};
}

} // namespace

void note_record_end(journal::command& todo, recovered_state& found,
                     const std::string& user, const event& lost) {
  const auto* x = std::get_if<item_finished>(&lost);
  const auto of = x == nullptr ? nullptr : found.records.origin(user, x->id);
  if (!of)
    return;
  auto end = users::end_of_record(*x, *of);
  found.records.apply(user, end);
  todo.note(std::move(end));
}

void restore_records(shard_pointer self, recovered_state& found) {
  auto& state = self->state;
  auto& records = state.records;
  records = std::move(found.records.known);
  for (const auto& [name, made_us] : records.sources())
    if (const auto at = state.control->sources.find(name);
        at != state.control->sources.end() && at->second.made_us == made_us)
      records.begin(name, made_us, at->second.settings.known_max);
  records.begin_items();
  for (auto& [user, origins] : found.records.origins) {
    const auto ledgers = found.ledgers.find(user);
    std::erase_if(origins, [&, named = &user](const auto& entry) {
      const auto& [id, of] = entry;
      if (ledgers == found.ledgers.end()
          || records.find(of->source, of->made_us, of->key).id != id)
        return true;
      const auto at = find_item_of(ledgers->second, id);
      if (at.queue != nullptr)
        records.count_item({id, *at.queue, of->source, of->made_us, of->key},
                           *named, at.claimed);
      return at.queue == nullptr;
    });
  }
}

} // namespace depositd::shard

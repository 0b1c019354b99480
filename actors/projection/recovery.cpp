#include "actors/projection/recovery.hpp"

#include "actors/rules/control/control.hpp"
#include "actors/rules/ledger/recent_ids.hpp"
#include "actors/rules/ledger/stored_item.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <type_traits>
#include <unordered_map>

namespace depositd::projection {

namespace {

queue_settings settings_of(const shard::recovered_state& state,
                           const std::string& queue) {
  const auto at = state.control.queues.find(queue);
  return at == state.control.queues.end() ? queue_settings{} : at->second;
}

rules::ledger& ledger_of(shard::recovered_state& state, const std::string& user,
                         const std::string& queue) {
  auto [at, fresh] = state.ledgers[user].try_emplace(queue);
  if (fresh)
    at->second.configure(queue, settings_of(state, queue), size_classes{});
  return at->second;
}

template <class T, class... Others>
constexpr bool is_any_of = (std::is_same_v<T, Others> || ...);

/// What happens to batches and jobs whose items stay where they are.
template <class Event>
constexpr bool is_of_work =
  is_any_of<Event, batch_received, job_created, batch_counted>;

/// What happens to records of sources besides what happens to their items.
template <class Event>
constexpr bool is_of_records = is_any_of<Event, record_taken, record_ended,
                                         record_refused, records_forgotten>;

void see_id(shard::recovered_state& state, item_id id) {
  state.id_max = std::max(state.id_max, id);
}

void see_batch(shard::recovered_state& state, item_id id,
               const std::string& user, const batch_info& x,
               micros received_us) {
  if (x.source == source_kafka.name)
    state.ingested.push_back(
      {id, user, rules::id_of(x), rules::size_of(x), 0, received_us});
}

/// Of a submission whose item came right before it.
std::uint64_t digest_of(const record& x, const event& submission) {
  const auto* item = &submission == x.events.data()
                       ? nullptr
                       : std::get_if<item_enqueued>(&submission - 1);
  return item == nullptr ? 0 : item->digest;
}

/// Live items, as the tables show them: of all users in turn.
class item_loader {
public:
  item_loader(shard::recovered_state& state, std::vector<body_location>* places)
    : state_(state), places_(places) {
    // nop
  }

  void restore(const item_row& row) {
    auto& user = users_[row.user];
    if (user.ledger == nullptr || user.queue != row.queue) {
      fill(user);
      user.queue = row.queue;
      user.ledger = &ledger_of(state_, row.user, row.queue);
    }
    if (places_ != nullptr && row.place.length > 0)
      places_->push_back(row.place);
    if (row.state != item_state::pending) {
      fill(user); // the order in which items came is the order of their ids
      user.ledger->restore(row);
      return;
    }
    user.waiting.push_back(rules::stored(row));
    ++waiting_;
    if (user.waiting.size() == at_once)
      fill(user);
    else if (waiting_ == waiting_max)
      finish();
  }

  /// After the last row.
  void finish() {
    for (auto& [name, user] : users_)
      fill(user);
  }

private:
  /// Items of many users come in turn, and a ledger is in many places of the
  /// memory: some at a time for each find them in the cache.
  static constexpr std::size_t at_once = 32;
  static constexpr std::size_t waiting_max = 100'000;

  /// The ledger that a user's last item is for: mostly the next one is, too.
  struct last_item {
    std::string queue;
    rules::ledger* ledger = nullptr;
    std::vector<rules::stored_item> waiting;
  };

  void fill(last_item& user) {
    if (user.waiting.empty())
      return;
    waiting_ -= user.waiting.size();
    user.ledger->restore(user.waiting);
  }

  shard::recovered_state& state_;
  std::vector<body_location>* places_;
  std::unordered_map<std::string, last_item> users_;
  std::size_t waiting_ = 0; ///< of all users
};

caf::error load_tables(shard::recovered_state& state,
                       projection_store& projection,
                       std::vector<body_location>* places) {
  state.projected = projection.reached();
  state.id_max = projection.id_max();
  caf::error damage;
  if (auto failed = projection.load_controls([&](const control_row& row) {
        auto change = decode_event(row.value);
        if (change)
          rules::apply(state.control, *change);
        else
          damage = change.error();
      }))
    return failed;
  if (damage)
    return damage;
  if (auto failed = projection.load_rings([&](const ring_row& row) {
        auto& place = state.rings[{row.queue, row.user}];
        if (row.has_turn) {
          place.stamp = row.stamp;
          place.credit = row.credit;
        }
        if (row.has_spent) {
          place.paid = {row.spent, row.floor};
          place.since = row.since;
        }
      }))
    return failed;
  const auto restore = [&](const auto& row) { state.records.restore(row); };
  if (auto failed = projection.load_records(restore))
    return failed;
  if (auto failed = projection.load_record_totals(restore))
    return failed;
  if (auto failed = projection.load_batches(
        [&](const batch_row& row) { state.work[row.user].restore(row); }))
    return failed;
  if (auto failed = projection.load_jobs(
        [&](const job_row& row) { state.work[row.user].restore(row); }))
    return failed;
  item_loader items{state, places};
  if (auto failed = projection.load_items(
        [&](const item_row& row) { items.restore(row); }))
    return failed;
  items.finish();
  return {};
}

caf::error replay_tail(shard::recovered_state& state, journal_store& journal) {
  caf::error damage;
  sequence next = state.projected;
  record x;
  auto failed
    = journal.read(state.projected + 1, [&](const stored_group& group) {
        record_reader reader{group.bytes, group.group, bodies::skipped};
        next = group.first - 1;
        while (!reader.at_end() && !damage) {
          damage = reader.next(x);
          next += x.events.size();
          // A slice ends between records, so a record is old or new as a whole.
          const auto skipped
            = seeded_bug("replay_skips_a_record") && x.events.size() == 1;
          if (!damage && next > state.projected + (skipped ? 1 : 0))
            apply_record(state, x);
        }
        return !damage;
      });
  state.journalled = journal.last();
  return damage ? damage : failed;
}

} // namespace

void apply_record(shard::recovered_state& state, const record& x) {
  for (const auto& e : x.events)
    std::visit(
      [&](const auto& fields) {
        using type = std::decay_t<decltype(fields)>;
        if constexpr (std::is_same_v<type, item_moved>) {
          rules::ledger::apply(fields, ledger_of(state, x.user, fields.queue),
                               ledger_of(state, x.user, fields.to));
        } else if constexpr (std::is_same_v<type, submission_received>) {
          see_id(state, fields.id);
          const auto& p = fields.submission;
          if (p.source == source_kafka.name)
            state.ingested.push_back(
              {fields.id, x.user, p.file_name, p.size, digest_of(x, e),
               fields.received_us});
        } else if constexpr (is_any_of<type, submission_recorded,
                                       submission_ended>) {
          see_id(state, fields.id);
        } else if constexpr (requires { fields.place.queue; }) {
          // A job or a batch, and its item with it.
          const auto& to = fields.place.queue;
          rules::ledger::place(
            fields.id, fields.place, ledger_of(state, x.user, fields.queue),
            to.empty() ? nullptr : &ledger_of(state, x.user, to));
          state.work[x.user].apply(e);
        } else if constexpr (is_of_work<type>) {
          state.work[x.user].apply(e);
          if constexpr (std::is_same_v<type, batch_received>)
            see_batch(state, fields.id, x.user, fields.info,
                      fields.received_us);
        } else if constexpr (std::is_same_v<type, batch_forgotten>) {
          // of the read model alone
        } else if constexpr (is_of_records<type>) {
          state.records.apply(x.user, fields);
        } else if constexpr (std::is_same_v<type, ring_paid>) {
          auto& place = state.rings[{fields.queue, x.user}];
          place.paid = {fields.spent, fields.floor};
          place.since = fields.since;
        } else if constexpr (requires { fields.id; }) {
          see_id(state, fields.id);
          ledger_of(state, x.user, fields.queue).apply(e);
          if constexpr (std::is_same_v<type, item_claimed>)
            if (fields.stamp > 0) { // 0: claimed by id, nobody's turn
              auto& place = state.rings[{fields.queue, x.user}];
              place.stamp = fields.stamp;
              place.credit = fields.credit;
            }
        } else {
          if constexpr (std::is_same_v<type, queue_retired>)
            for (const auto& user : fields.users)
              state.rings.erase({fields.queue, user});
          rules::apply(state.control, e);
        }
      },
      e);
}

namespace {

constexpr std::uint32_t batches_per_page = 1'000;

/// Batches of the tables that came since a time.
caf::error load_batches_received(shard::recovered_state& state,
                                 projection_store& projection,
                                 micros since_us) {
  batch_query ask;
  ask.count_max = batches_per_page;
  for (;;) {
    const auto rows = projection.batches(ask);
    if (!rows)
      return rows.error();
    for (const auto& row : *rows) {
      if (row.received_us < since_us)
        return {};
      see_batch(state, row.id, row.user, row.info, row.received_us);
    }
    if (rows->size() < batches_per_page)
      return {};
    ask.after = {rows->back().id};
  }
}

} // namespace

caf::expected<std::unique_ptr<shard::recovered_state>>
recover_state(journal_store& journal, projection_store& projection,
              micros ids_since_us, std::vector<body_location>* places) {
  auto state = std::make_unique<shard::recovered_state>();
  if (auto failed = load_tables(*state, projection, places))
    return failed;
  if (auto failed = projection.load_received(
        source_kafka.name, ids_since_us,
        [&](const auto& row) { state->ingested.push_back(row); }))
    return failed;
  if (auto failed = load_batches_received(*state, projection, ids_since_us))
    return failed;
  if (journal.last() > state->projected)
    if (auto failed = replay_tail(*state, journal))
      return failed;
  for (auto& one : journal.watermarks())
    state->watermarks[std::move(one.partition)] = one.offset;
  std::stable_sort(
    state->ingested.begin(), state->ingested.end(),
    [](const auto& a, const auto& b) { return a.received_us < b.received_us; });
  state->journalled = journal.last();
  return state;
}

} // namespace depositd::projection

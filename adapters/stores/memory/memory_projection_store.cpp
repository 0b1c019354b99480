#include "adapters/stores/memory/memory_projection_store.hpp"

#include "adapters/stores/rows/table_projection.hpp"
#include "messages/values/row_changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace depositd {

namespace {

bool answers(const submission_query& query, const submission_row& row) {
  const auto same = [](const std::string& wanted, const std::string& have) {
    return wanted.empty() || wanted == have;
  };
  const bool beyond =
    query.after.empty()
    || (query.newest_first ? row.id < query.after.front()
                           : row.id > query.after.front());
  return beyond && (query.id == 0 || query.id == row.id)
         && same(query.user, row.user) && same(query.queue, row.queue)
         && same(query.file_name, row.submission.file_name)
         && same(query.batch_id, row.batch_id)
         && (!query.has_status || query.status == row.status);
}

caf::error damaged(const char* table, item_id id, const char* what) {
  return caf::make_error(ec::store_damaged,
                         std::string{table} + " " + std::to_string(id) + what);
}

class memory_projection_store final : public projection_store {
public:
  sequence reached() override {
    return reached_;
  }

  item_id id_max() override {
    return id_max_;
  }

  caf::expected<slice_applied> apply(const slice& x) override;

  caf::error
  load_items(const std::function<void(const item_row&)>& show) override;

  caf::error
  load_rings(const std::function<void(const ring_row&)>& show) override {
    for (const auto& [key, row] : rings_)
      show(row);
    return {};
  }

  caf::error
  load_controls(const std::function<void(const control_row&)>& show) override {
    for (const auto& [key, row] : controls_)
      show(row);
    return {};
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query& query) override;

  caf::expected<std::vector<item_row>> items(const std::string& queue,
                                             std::uint32_t count_max) override;

  caf::expected<item_row> item(item_id id) override;

  caf::expected<std::vector<range_item>>
  items_received(const range& where) override;

  caf::expected<std::vector<range_item>>
  items_placed(std::uint64_t group_first, std::uint64_t group_last,
               std::uint32_t count_max) override;

  caf::error
  load_received(const std::string& source, micros since_us,
                const std::function<void(const received_row&)>& show) override {
    for (const auto& [id, x] : submissions_)
      if (x.submission.source == source && x.received_us >= since_us)
        show({id, x.user, x.submission.file_name, x.submission.size,
              x.received_us});
    return {};
  }

  caf::expected<std::uint64_t>
  forget_submissions(micros finished_before_us,
                     std::uint32_t count_max) override;

  caf::expected<bool> blob_in_use(const std::string& sha256) override;

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           "a projection in memory has no backup");
  }

private:
  /// What `apply` must know before it may change anything.
  caf::error check(const slice& x) const;

  sequence reached_ = 0;
  item_id id_max_ = 0;
  std::map<item_id, item_row> items_;
  std::map<std::pair<std::string, std::string>, ring_row> rings_;
  std::map<std::pair<std::uint8_t, std::string>, control_row> controls_;
  std::map<item_id, submission_row> submissions_;
};

caf::error memory_projection_store::check(const slice& x) const {
  if (auto error = rows::follows(x, reached_))
    return error;
  std::set<item_id> put;
  for (const auto& row : x.items_put)
    if (items_.contains(row.id) || !put.insert(row.id).second)
      return damaged("item", row.id, " is there already");
  for (const auto& change : x.items_changed)
    if (!items_.contains(change.id) && !put.contains(change.id))
      return damaged("item", change.id, " is missing");
  std::set<item_id> gone;
  for (const auto id : x.items_gone)
    if ((!items_.contains(id) && !put.contains(id)) || !gone.insert(id).second)
      return damaged("item", id, " is missing");
  put.clear();
  for (const auto& row : x.submissions_put)
    if (submissions_.contains(row.id) || !put.insert(row.id).second)
      return damaged("submission", row.id, " is there already");
  return {};
}

caf::expected<slice_applied> memory_projection_store::apply(const slice& x) {
  if (auto error = check(x))
    return error;
  slice_applied out;
  for (const auto& row : x.items_put)
    items_.emplace(row.id, row);
  for (const auto& change : x.items_changed) {
    auto& row = items_.at(change.id);
    const auto place = row.place;
    apply_change(row, change);
    if (place.length > 0 && place != row.place)
      out.freed.push_back(place);
  }
  for (const auto id : x.items_gone) {
    const auto row = items_.extract(id);
    if (row.mapped().place.length > 0)
      out.freed.push_back(row.mapped().place);
  }
  for (const auto& row : x.rings)
    rings_.insert_or_assign({row.queue, row.user}, row);
  for (const auto& row : x.controls)
    controls_.insert_or_assign({row.kind, row.key}, row);
  for (const auto& row : x.submissions_put)
    submissions_.emplace(row.id, row);
  for (const auto& change : x.submissions_changed)
    if (const auto found = submissions_.find(change.id);
        found != submissions_.end())
      apply_change(found->second, change);
  reached_ = x.last;
  id_max_ = std::max(id_max_, x.id_max);
  return out;
}

caf::error memory_projection_store::load_items(
  const std::function<void(const item_row&)>& show) {
  std::map<std::string, std::vector<const item_row*>> by_user;
  for (const auto& [id, row] : items_)
    by_user[row.user].push_back(&row);
  for (const auto& [user, rows] : by_user)
    for (const auto* row : rows)
      show(*row);
  return {};
}

caf::expected<std::vector<submission_row>>
memory_projection_store::submissions(const submission_query& query) {
  std::vector<submission_row> out;
  const auto take = [&](const submission_row& row) {
    if (out.size() >= query.count_max || !answers(query, row))
      return;
    out.push_back(row);
    if (!query.with_documents)
      out.back().document.clear();
  };
  if (!query.ids.empty()) {
    const std::set<item_id> ids{query.ids.begin(), query.ids.end()};
    std::vector<item_id> order{ids.begin(), ids.end()};
    if (query.newest_first)
      std::reverse(order.begin(), order.end());
    for (const auto id : order)
      if (const auto found = submissions_.find(id); found != submissions_.end())
        take(found->second);
    return out;
  }
  if (query.newest_first)
    for (auto i = submissions_.rbegin(); i != submissions_.rend(); ++i)
      take(i->second);
  else
    for (const auto& [id, row] : submissions_)
      take(row);
  return out;
}

caf::expected<std::vector<item_row>>
memory_projection_store::items(const std::string& queue,
                               std::uint32_t count_max) {
  std::vector<item_row> out;
  for (const auto& [id, row] : items_)
    if (row.queue == queue)
      out.push_back(row);
  std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return x.priority < y.priority;
  });
  if (out.size() > count_max)
    out.resize(count_max);
  return out;
}

caf::expected<item_row> memory_projection_store::item(item_id id) {
  const auto found = items_.find(id);
  if (found == items_.end())
    return caf::make_error(ec::not_found, "no item " + std::to_string(id));
  return found->second;
}

caf::expected<std::vector<projection_store::range_item>>
memory_projection_store::items_received(const range& where) {
  const std::set<std::string> users{where.users.begin(), where.users.end()};
  std::vector<range_item> out;
  for (auto at = items_.upper_bound(where.after);
       at != items_.end() && out.size() < where.count_max; ++at) {
    const auto& [id, row] = *at;
    const auto fits = where.parked ? row.state == item_state::parked
                                   : row.state == item_state::pending
                                       || row.state == item_state::delayed;
    if (fits && row.received_us >= where.from_us
        && row.received_us <= where.to_us
        && (where.queue.empty() || where.queue == row.queue)
        && (users.empty() || users.contains(row.user)))
      out.push_back({.id = id, .queue = row.queue, .user = row.user});
  }
  return out;
}

caf::expected<std::vector<projection_store::range_item>>
memory_projection_store::items_placed(std::uint64_t group_first,
                                      std::uint64_t group_last,
                                      std::uint32_t count_max) {
  std::vector<range_item> out;
  for (const auto& [id, row] : items_)
    if (out.size() < count_max && row.place.length > 0
        && row.place.group >= group_first && row.place.group <= group_last)
      out.push_back({.id = id, .queue = row.queue, .user = row.user});
  return out;
}

caf::expected<std::uint64_t>
memory_projection_store::forget_submissions(micros finished_before_us,
                                            std::uint32_t count_max) {
  std::vector<std::pair<micros, item_id>> old;
  for (const auto& [id, row] : submissions_)
    if (row.finished_us != never && row.finished_us < finished_before_us)
      old.emplace_back(row.finished_us, id);
  std::sort(old.begin(), old.end());
  if (old.size() > count_max)
    old.resize(count_max);
  for (const auto& [finished_us, id] : old)
    submissions_.erase(id);
  return old.size();
}

caf::expected<bool>
memory_projection_store::blob_in_use(const std::string& sha256) {
  return !sha256.empty()
         && std::any_of(
           submissions_.begin(), submissions_.end(),
           [&](const auto& x) { return x.second.submission.blob == sha256; });
}

} // namespace

std::unique_ptr<projection_store> make_memory_projection() {
  return std::make_unique<memory_projection_store>();
}

} // namespace depositd

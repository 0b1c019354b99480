#include "adapters/stores/sqlite/item_groups.hpp"

namespace depositd::sqlite {

std::uint32_t item_groups::names::number_of(const std::string& name) {
  if (last_ < list_.size() && list_[last_] == name)
    return last_;
  const auto [found, is_new] =
    numbers_.try_emplace(name, static_cast<std::uint32_t>(list_.size()));
  if (is_new)
    list_.push_back(name);
  last_ = found->second;
  return last_;
}

item_groups::item_groups(std::uint64_t count) {
  rows_.reserve(count);
}

void item_groups::add(const item_row& row) {
  const auto user = users_.number_of(row.user);
  if (user == rows_of_user_.size())
    rows_of_user_.push_back(0);
  ++rows_of_user_[user];
  rows_.push_back({.id = row.id,
                   .size = row.size,
                   .received_us = row.received_us,
                   .digest = row.digest,
                   .place = row.place,
                   .available_us = row.available_us,
                   .token = row.token,
                   .deadline_us = row.deadline_us,
                   .queue = queues_.number_of(row.queue),
                   .user = user,
                   .processor = processors_.number_of(row.processor),
                   .attempt = row.attempt,
                   .priority = row.priority,
                   .kind = row.kind,
                   .state = row.state,
                   .local = row.local});
}

void item_groups::show(const std::function<void(const item_row&)>& show) const {
  // A counting sort by user, which leaves the order of ids alone.
  std::vector<std::size_t> next(rows_of_user_.size());
  std::size_t start = 0;
  for (std::size_t user = 0; user < next.size(); ++user) {
    next[user] = start;
    start += rows_of_user_[user];
  }
  std::vector<std::uint32_t> order(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    order[next[rows_[i].user]++] = static_cast<std::uint32_t>(i);
  item_row row;
  for (const auto index : order) {
    const auto& x = rows_[index];
    row.id = x.id;
    row.queue.assign(queues_[x.queue]);
    row.user.assign(users_[x.user]);
    row.priority = x.priority;
    row.size = x.size;
    row.received_us = x.received_us;
    row.digest = x.digest;
    row.kind = x.kind;
    row.place = x.place;
    row.state = x.state;
    row.attempt = x.attempt;
    row.available_us = x.available_us;
    row.token = x.token;
    row.deadline_us = x.deadline_us;
    row.local = x.local;
    row.processor.assign(processors_[x.processor]);
    show(row);
  }
}

} // namespace depositd::sqlite

#include "actors/shard/feeding/recovered_records.hpp"

#include <utility>

namespace depositd::shard {

void recovered_records::keep_origin(const std::string& user, item_id id,
                                    record_origin x) {
  origins[user].insert_or_assign(
    id, std::make_shared<const record_origin>(std::move(x)));
}

std::shared_ptr<const record_origin>
recovered_records::origin(const std::string& user, item_id id) const {
  const auto of = origins.find(user);
  if (of == origins.end())
    return nullptr;
  const auto at = of->second.find(id);
  return at == of->second.end() ? nullptr : at->second;
}

void recovered_records::restore(const record_row& x) {
  known.restore(x);
  if (x.refused == 0 && x.state == record_state::queued)
    keep_origin(x.user, x.id, {x.source, x.made_us, x.key});
}

void recovered_records::restore(const record_totals& x) {
  known.restore(x);
}

void recovered_records::apply(const std::string& user, const record_taken& x) {
  known.take(x, user);
  keep_origin(user, x.id, {x.source, x.made_us, x.key});
}

void recovered_records::apply(const std::string& user, const record_ended& x) {
  known.end(x, user);
  if (const auto of = origins.find(user); of != origins.end())
    of->second.erase(x.id);
}

void recovered_records::apply(const std::string&, const record_refused& x) {
  known.refuse(x.source, x.made_us, x.digest);
}

void recovered_records::apply(const std::string&, const records_forgotten& x) {
  known.forget(x);
}

} // namespace depositd::shard

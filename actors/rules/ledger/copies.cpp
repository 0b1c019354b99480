#include "actors/rules/ledger/copies.hpp"

namespace depositd::rules {

namespace {

/// What `item_enqueued` and `waiting_item` name alike.
template <class Item>
item_copied copied(const Item& x, item_id id, const std::string& queue) {
  item_copied out;
  out.id = id;
  out.queue = queue;
  out.priority = x.priority;
  out.size = x.size;
  out.received_us = x.received_us;
  out.kind = x.kind;
  return out;
}

} // namespace

item_copied copy_of(const item_enqueued& x, item_id id,
                    const std::string& queue) {
  auto out = copied(x, id, queue);
  out.of = x.id;
  return out;
}

event later_copies::next(item_id id, const std::string& queue) {
  if (of_.body != nullptr && written_ == 0) {
    written_ = id;
    item_enqueued out;
    out.id = id;
    out.queue = queue;
    out.priority = of_.priority;
    out.size = of_.size;
    out.received_us = of_.received_us;
    out.kind = of_.kind;
    out.body = *of_.body;
    return out;
  }
  auto out = copied(of_, id, queue);
  if (of_.body != nullptr)
    out.of = written_;
  else
    out.at = out.place = of_.place;
  return out;
}

} // namespace depositd::rules

#include "actors/rules/orders/due.hpp"

#include "actors/rules/orders/deletions.hpp"
#include "messages/values/test_points.hpp"

#include <map>
#include <utility>

namespace depositd::rules {

namespace {

constexpr const char* source_name = "engine";

std::string asker(const reconciler_settings& x) {
  return "reconciler " + x.name;
}

new_order made(const preservation_order& what, std::string uuid,
               const due_orders& of, micros now) {
  return make_order(what, {.uuid = std::move(uuid),
                           .user = of.user,
                           .collection = of.collection,
                           .source = source_name,
                           .now_us = now});
}

/// A group of files while it is cut into batches.
class cutting {
public:
  cutting(due_orders& to, const reconciler_settings& of, micros now)
    : to_(to), of_(of), now_(now) {
    // nop
  }

  void add(const checked_file& x) {
    const auto bytes = x.object.size() + x.path.size() + 16;
    if (bytes_ + bytes > due_bytes_max)
      close();
    bytes_ += bytes;
    files_.push_back({x.object, x.path});
    ++to_.files;
  }

  void close() {
    if (files_.empty())
      return;
    const auto slot = slot_of(of_, now_);
    preservation_order what;
    what.kind = order_kind::fixity_check;
    what.asked_by = asker(of_);
    what.files = std::exchange(files_, {});
    bytes_ = 0;
    auto one =
      made(what,
           due_order_uuid(
             of_.name, to_.user,
             to_.collection + "\n" + std::to_string(to_.orders.size()),
             seeded_bug("due_twice_in_a_span") ? now_ : slot),
           to_, now_);
    // Batches of one run do not meet each other.
    one.info.file_name = of_.name + " " + std::to_string(slot);
    to_.orders.push_back(std::move(one));
  }

private:
  due_orders& to_;
  const reconciler_settings& of_;
  const micros now_;
  std::vector<ordered_file> files_;
  std::size_t bytes_ = 0;
};

} // namespace

std::vector<due_orders> fixity_orders(const std::vector<checked_file>& files,
                                      const reconciler_settings& of,
                                      micros now) {
  std::map<std::pair<std::string, std::string>,
           std::vector<const checked_file*>>
    groups;
  for (const auto& x : files)
    groups[{x.owner, x.collection}].push_back(&x);
  std::vector<due_orders> out;
  for (const auto& [whose, all] : groups) {
    auto& to = out.emplace_back();
    to.user = whose.first;
    to.collection = whose.second;
    cutting cut{to, of, now};
    for (const auto* x : all)
      cut.add(*x);
    cut.close();
  }
  return out;
}

due_orders spot_order(const spot_candidate& x, const reconciler_settings& of,
                      micros now) {
  due_orders out;
  out.user = x.owner;
  out.collection = x.collection;
  preservation_order what;
  what.kind = order_kind::restore_object;
  what.object = x.object;
  what.asked_by = asker(of);
  // By owner, not by object: one in a run is enough.
  out.orders.push_back(
    made(what, due_order_uuid(of.name, x.owner, "spot", slot_of(of, now)), out,
         now));
  return out;
}

std::vector<due_orders> deletion_orders(const deletion_changed& x, micros now) {
  std::vector<due_orders> out;
  const auto orders = deletions::orders_of(x);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    auto& one = out.emplace_back();
    one.user = x.user;
    one.collection = x.targets[i].collection;
    one.orders.push_back(
      made(orders[i], deletion_order_uuid(x.reference, i), one, now));
  }
  return out;
}

} // namespace depositd::rules

// D-1: what is deleted was agreed to, what was agreed to is queued, once and as
// a whole, and orders of one object do not meet.

#include "messages/values/orders.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/work_book.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace depositd::simulation {

namespace {

bool all_agree(const deletion_changed& x) {
  return x.rejected_us == never && !x.inst_approver.empty()
         && x.inst_approver != x.asked_by
         && x.aptrust_approver != x.asked_by
         && (x.targets.size() == 1
             || (!x.aptrust_approver.empty()
                 && x.aptrust_approver != x.inst_approver));
}

/// Whether nobody asked for it: it is due.
bool is_of_reconciler(const batch_info& x) {
  return x.source == "engine" && x.submitter.starts_with("reconciler ");
}

struct deletion_checker {
  findings& out;
  work_book book;
  std::map<std::string, deletion_changed> requests;  ///< as shard 0 has them
  std::map<std::string, std::set<std::string>> said; ///< people who agree
  std::set<std::string> wanted_back;                 ///< objects
  std::map<std::string, micros> recorded_us;         ///< last of each object
  std::map<std::string, item_id> orders;             ///< by uuid
  std::map<std::string, std::set<item_id>> of_object;
  std::size_t at = 0;

  void complain(const std::string& of, const std::string& what) {
    out.push_back({"D-1", at, of + ' ' + what});
  }

  void propose(const proposed& x) {
    for (const auto& one : x.changes)
      if (const auto* wish = std::get_if<deletion_changed>(&one))
        for (const auto& who : {wish->inst_approver, wish->aptrust_approver})
          said[wish->reference].insert(who);
  }

  void decide(const deletion_changed& x) {
    const auto of = "the request " + x.reference;
    for (const auto& who : {x.inst_approver, x.aptrust_approver})
      if (!who.empty() && !said[x.reference].contains(who))
        complain(of, "is approved by " + who + ", who did not");
    const auto known = requests.find(x.reference);
    const bool was = known != requests.end()
                     && known->second.queued_us != never;
    if (x.queued_us != never && !was) {
      if (!all_agree(x))
        complain(of, "is queued, and not all agree");
      for (std::size_t i = 0; i < x.targets.size(); ++i)
        if (!orders.contains(deletion_order_uuid(x.reference, i)))
          complain(of, "is called queued, and there is no order for "
                         + x.targets[i].object);
    }
    requests[x.reference] = x;
  }

  /// The request and the target that the order is of.
  const deletion_changed* request_of(const std::string& uuid,
                                     std::size_t& target) const {
    for (const auto& [reference, x] : requests)
      for (target = 0; target < x.targets.size(); ++target)
        if (deletion_order_uuid(reference, target) == uuid)
          return &x;
    return nullptr;
  }

  void check_consent(const batch_received& x, const std::string& user,
                     const std::string& of) {
    std::size_t target = 0;
    const auto* request = request_of(x.info.uuid, target);
    if (request == nullptr)
      return complain(of, "is of no request");
    if (!all_agree(*request))
      complain(of, "deletes what not all agree on");
    if (request->user != user
        || request->targets[target].object != x.info.title
        || request->targets[target].collection != x.info.collection)
      complain(of, "deletes something else");
  }

  void delete_object(const object_deleted& x) {
    const auto of = "the request " + x.request;
    const auto known = requests.find(x.request);
    if (known == requests.end() || !all_agree(known->second))
      complain(of, "deletes " + x.object + ", and not all agree");
    else if (recorded_us[x.object] > known->second.inst_approved_us)
      complain(of, "deletes of " + x.object + " what came after it");
  }

  bool is_unfinished(item_id id) const {
    const auto* batch = book.batch(id);
    return batch->state == batch_state::pending
           || batch->state == batch_state::held
           || batch->state == batch_state::processing || batch->is.open > 0;
  }

  void take(const batch_received& x, const std::string& user) {
    const auto kind = order_kind_of(x.info);
    if (!kind || *kind == order_kind::fixity_check)
      return;
    const auto of = "the order " + x.info.uuid + " of " + x.info.title;
    if (*kind == order_kind::delete_item)
      check_consent(x, user, of);
    else if (!wanted_back.contains(x.info.title) && !is_of_reconciler(x.info))
      complain(of, "was given by nobody");
    if (!orders.emplace(x.info.uuid, x.id).second)
      complain(of, "came twice");
    auto& others = of_object[x.info.title];
    for (const auto id : others)
      if (is_unfinished(id))
        complain(of, "meets batch " + std::to_string(id));
    others.insert(x.id);
  }

  void see(const journalled& record) {
    const auto* change = std::get_if<deletion_changed>(&record.what);
    if (change != nullptr && record.shard == 0)
      decide(*change);
    if (const auto* batch = std::get_if<batch_received>(&record.what))
      take(*batch, record.user);
    book.apply(record);
  }

  void end() {
    for (const auto& [reference, x] : requests)
      if (all_agree(x) && x.queued_us == never && !x.forgotten)
        complain("the request " + reference, "was agreed to and never queued");
  }
};

} // namespace

void check_deletions(const history& x, findings& out) {
  deletion_checker all{out, {}, {}, {}, {}, {}, {}, {}, 0};
  for (const auto& one : x.entries) {
    if (const auto* wish = std::get_if<proposed>(&one.what))
      all.propose(*wish);
    else if (const auto* back = std::get_if<restore_wanted>(&one.what))
      all.wanted_back.insert(back->object);
    else if (const auto* version = std::get_if<object_recorded>(&one.what))
      all.recorded_us[version->object] = version->recorded_us;
    else if (const auto* gone = std::get_if<object_deleted>(&one.what))
      all.delete_object(*gone);
    else if (const auto* known = std::get_if<deletion_known>(&one.what);
             known != nullptr && !all.requests.contains(known->reference))
      all.complain("the request " + known->reference,
                   "was said to be there too early");
    else if (const auto* record = std::get_if<journalled>(&one.what))
      all.see(*record);
    ++all.at;
  }
  --all.at;
  all.end();
}

} // namespace depositd::simulation

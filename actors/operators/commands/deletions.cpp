// Requests for deletion: who asks, and who has to agree.

#include "actors/operators/work.hpp"

#include "actors/rules/orders/deletions.hpp"
#include "messages/orders.hpp"
#include "messages/shard.hpp"

#include <map>
#include <utility>

namespace depositd::operators {

namespace about_deletions {
namespace {

namespace deletions = rules::deletions;
using kind = value_kind;

document request_document(const deletion_changed& x) {
  document targets = document::array();
  for (const auto& one : x.targets)
    targets.push_back({{"object", one.object}, {"collection", one.collection}});
  return {{"reference", x.reference},
          {"state", deletions::state_of(x)},
          {"user", x.user},
          {"objects", x.targets.size()},
          {"targets", std::move(targets)},
          {"asked_by", x.asked_by},
          {"asked_at", time_or_null(x.asked_us)},
          {"reason", text_or_null(x.reason)},
          {"inst_approver", text_or_null(x.inst_approver)},
          {"inst_approved_at", time_or_null(x.inst_approved_us)},
          {"aptrust_approver", text_or_null(x.aptrust_approver)},
          {"aptrust_approved_at", time_or_null(x.aptrust_approved_us)},
          {"rejected_by", text_or_null(x.rejected_by)},
          {"rejected_at", time_or_null(x.rejected_us)},
          {"queued_at", time_or_null(x.queued_us)}};
}

void list(admin_pointer self, const admin_call_ptr& call) {
  if (auto wrong = check_sight(*call))
    return refuse(call, wrong);
  with_control(self, call, [=](const control_snapshot& now) {
    const auto user = call->arguments.text("user");
    const auto state = call->arguments.text("state");
    std::map<std::string, const deletion_changed*> seen;
    for (const auto& [reference, x] : now->deletions)
      if (deletions::is_seen(x, call->by) && (user.empty() || x.user == user)
          && (state.empty() || deletions::state_of(x) == state))
        seen[reference] = &x;
    document out;
    add_page(out, "requests", seen, call->arguments,
             [](const auto& x) { return request_document(*x.second); });
    deliver(call, out);
  });
}

/// Goes on with the request that the argument names, as it is now.
void with_request(admin_pointer self, const admin_call_ptr& call,
                  std::function<void(const deletion_changed&)> use) {
  with_control(self, call, [=](const control_snapshot& now) {
    const auto name = call->arguments.text("reference");
    const auto at = now->deletions.find(name);
    if (at == now->deletions.end() || !deletions::is_seen(at->second, call->by))
      return refuse(call, ec::not_found,
                    "there is no request for deletion " + shown(name));
    use(at->second);
  });
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_request(self, call, [=](const deletion_changed& x) {
    deliver(call, request_document(x));
  });
}

void ask_for(admin_pointer self, const admin_call_ptr& call) {
  const auto& desk = self->state.options.orders;
  if (!desk)
    return refuse(call, ec::not_found, "this engine keeps no inventory");
  ask_deletion what;
  what.objects = call->arguments.texts("identifiers");
  for (auto& one : call->arguments.texts("identifier"))
    what.objects.push_back(std::move(one));
  what.reason = call->arguments.text("reason");
  what.asked_by = deletions::person_of(call->by);
  what.limits = {call->by.users, call->by.collections};
  act(self, call, desk, std::move(what),
                      [=](const deletion_asked& x) {
                        deliver(call, request_document(x.request));
                      });
}

/// What is approved is queued at once; if that fails, before long.
void queue(admin_pointer self, const admin_call_ptr& call,
           deletion_changed request) {
  const auto& options = self->state.options;
  if (!is_approved(request) || !options.due)
    return deliver(call, request_document(request));
  self
    ->request(options.due, options.timeout,
              queue_due{due_query::deletions_missed, {request}})
    .then(
      [=](const due_queued&) {
        with_request(self, call, [=](const deletion_changed& now) {
          // What is known here may be a moment behind of what was decided.
          deliver(call, request_document(is_approved(now) ? now : request));
        });
      },
      [=](const caf::error&) { deliver(call, request_document(request)); });
}

using decision = caf::expected<deletion_changed> (*)(
  deletion_changed, const rules::access::caller&, micros);

void decide(admin_pointer self, const admin_call_ptr& call, decision how) {
  with_request(self, call, [=](const deletion_changed& is) {
    const auto& options = self->state.options;
    const auto at = options.clock.at(self->clock().now());
    const auto next = how(is, call->by, at);
    call->before = request_document(is);
    if (!next)
      return refuse(call, next.error());
    // The shard refuses it if somebody else has decided meanwhile.
    self->request(options.shard, options.timeout, propose{{event{*next}}})
      .then(
        [=, decided = *next](const done&) {
          audit(call, call->before, request_document(decided), "done");
          queue(self, call, decided);
        },
        [=](const caf::error& why) { refuse(call, why); });
  });
}

void approve(admin_pointer self, const admin_call_ptr& call) {
  decide(self, call, deletions::approved);
}

void reject(admin_pointer self, const admin_call_ptr& call) {
  decide(self, call, deletions::rejected);
}

// -- rows ---------------------------------------------------------------------

argument_spec reference_argument() {
  return {"reference",      "reference", kind::text,     "REFERENCE",
          "Of the request", true,        "deletion list"};
}

std::vector<view_block> request_view() {
  return {line_view("", "{reference} is {state}: {objects} objects of {user}, "
                        "asked for by {asked_by}"),
          line_view("inst_approver", "approved by {inst_approver}"),
          line_view("aptrust_approver", "approved by {aptrust_approver}"),
          line_view("rejected_by", "rejected by {rejected_by}"),
          table_view("targets", "OBJECT={object}; COLLECTION={collection}")};
}

command listing() {
  return of_work(reading(
    "deletion list", "Requests for deletion, by reference",
    {of_user_argument(),
     {"--state",
      "state",
      kind::word,
      "STATE",
      "asked, approved, rejected or queued",
      false,
      "",
      {"asked", "approved", "rejected", "queued"}},
     limit_argument(100, 1'000),
     after_argument("REFERENCE", "Go on after this one")},
    {table_view("requests",
                "REFERENCE={reference}; STATE={state}; USER={user}; "
                ">OBJECTS={objects}; ASKED={asked_at:time}; BY={asked_by}; "
                "APPROVED BY={inst_approver},{aptrust_approver}"),
     next_page_line("requests")},
    list));
}

} // namespace
} // namespace about_deletions

std::vector<command> deletion_commands() {
  using namespace about_deletions;
  return {
    operating(of_work(doing(
      "object delete",
      "Ask for objects to be deleted; somebody else has to approve it",
      {{"identifiers", "identifiers", kind::names, "IDENTIFIER[,IDENTIFIER...]",
        "Of one owner; several need an administrator's approval, too"},
       {"--identifier", "identifier", kind::each, "IDENTIFIER",
        "One with blanks or commas, as it is; may be repeated"},
       {"--reason", "reason", kind::text, "TEXT", "Why"}},
      ask_for, request_view()))),
    listing(),
    of_work(reading("deletion show", "One request for deletion",
                    {reference_argument()}, request_view(), show)),
    asking("What the request names will be removed from all storage, and "
           "cannot be had back. Approve it?",
           operating(of_work(
             doing("deletion approve",
                   "Agree, as somebody else of the same institution; of many "
                   "objects an administrator, too",
                   {reference_argument()}, approve, request_view())))),
    operating(of_work(doing("deletion reject",
                            "Nothing is deleted; whoever asked may do so, too",
                            {reference_argument()}, reject, request_view()))),
  };
}

} // namespace depositd::operators

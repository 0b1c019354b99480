#include "adapters/processing/aptrust/orders/order_work.hpp"

#include "adapters/processing/merritt/keeping_steps.hpp"
#include "messages/values/clock.hpp"

#include <algorithm>
#include <utility>

namespace depositd::aptrust {

namespace {

using merritt::ended;
using merritt::in_quotes;

/// Why an order is none for this stage; empty: it is.
std::string mismatch(const preservation_order& x, const order_form& form) {
  if (x.kind != form.kind)
    return "the order is " + word(x.kind) + ", not " + word(form.kind);
  if (x.object.empty())
    return "the order names no object";
  if (form.either)
    return {};
  if (form.with_file && x.file.empty())
    return "the order names no file: a whole object is not for this stage";
  if (!form.with_file && !x.file.empty())
    return "the order names a file: a part of an object is not for this stage";
  return {};
}

/// What the document says of the work, beside its order.
void write_item(merritt::work_on_job& x, const preservation_order& order,
                const outcome& out) {
  auto known = work_item_in(x.job.more);
  if (!known || !*known)
    return;
  auto& item = **known;
  item.object = order.object;
  item.file = order.file;
  if (out.says == verdict::done || out.says == verdict::skip) {
    item.stage = item_stage::resolve;
    item.status = item_status::success;
    item.outcome = out.reason;
    item.retry = false;
  }
  put_work_item(x.job.more, item);
}

class doing_order {
public:
  doing_order(const order_form& form, const order_step& step)
    : form_(form), step_(step) {
    // nop
  }

  outcome run(merritt::work_on_job& x) const {
    const auto order = order_in(x.job.more);
    if (!order)
      return ended(verdict::failed, render(order.error()));
    if (!*order)
      return ended(verdict::failed, "the job has no order");
    const auto& what = **order;
    if (const auto wrong = mismatch(what, form_); !wrong.empty())
      return ended(verdict::failed, wrong);
    // Locks are called as the object is.
    x.job.what.identifier = what.object;
    auto out = form_.under_lock ? under_lock(x, what) : look_and_do(x, what);
    write_item(x, what, out);
    return out;
  }

private:
  outcome under_lock(merritt::work_on_job& x,
                     const preservation_order& what) const {
    auto out = merritt::locked(
      [&](merritt::work_on_job& job) { return look_and_do(job, what); })(x);
    if (auto failure = merritt::give_up_locks(x)) {
      out.reason += "; the object's lock stays for a while: " + render(failure);
      // Of jobs that have failed somebody gives it up later. What was done is
      // done again, which changes nothing, so that others need not wait till
      // the lock ends.
      const bool is_over =
        out.says == verdict::done || out.says == verdict::skip;
      if (is_over && !merritt::is_last_attempt(x.task))
        out.says = verdict::retry;
    }
    return out;
  }

  outcome look_and_do(merritt::work_on_job& x,
                      const preservation_order& what) const {
    auto found =
      x.tools.inventory->find({.identifier = what.object, .count_max = 1});
    if (!found)
      return ended(verdict::retry, render(found.error()));
    if (found->empty() && form_.may_be_gone)
      return ended(verdict::skip, in_quotes(what.object) + " is not there");
    if (found->empty())
      return ended(verdict::rejected,
                   "there is no object " + in_quotes(what.object));
    if (found->front().owner != x.job.user)
      return ended(verdict::rejected, in_quotes(what.object) + " is of "
                                        + found->front().owner + ", not of "
                                        + x.job.user);
    order_work work{x, what, std::move(found->front())};
    return step_(work);
  }

  const order_form& form_;
  const order_step& step_;
};

} // namespace

std::vector<std::string> order_work::targets() const {
  std::vector<std::string> out;
  for (const bool cold : {false, true})
    for (const auto& name : object.storage)
      if (tools().is_cold(name) == cold && tools().storage.contains(name))
        out.push_back(name);
  return out;
}

bool order_work::is_cold_only() const {
  return !object.storage.empty()
         && std::all_of(
           object.storage.begin(), object.storage.end(),
           [&](const std::string& name) { return tools().is_cold(name); });
}

premis_scene order_work::scene() const {
  return {.object = object.identifier,
          .owner = object.owner,
          .job = job.job.uuid,
          .agent = "depositd " + word(order.kind),
          .at_us = engine_clock::system().now()};
}

stages::stage_handler
order_handler(std::shared_ptr<const stages::stage_tools> tools, order_form form,
              order_step step) {
  return merritt::job_handler(
    std::move(tools), [form, step = std::move(step)](merritt::work_on_job& x) {
      return doing_order{form, step}.run(x);
    });
}

caf::expected<std::vector<stored_file>> files_of(const order_work& x) {
  return x.tools().inventory->files(x.object.identifier, 0);
}

std::optional<stored_file> find_file(const std::vector<stored_file>& in,
                                     const std::string& path) {
  for (const auto& file : in)
    if (file.path == path)
      return file;
  return std::nullopt;
}

} // namespace depositd::aptrust

#include "adapters/processing/stages/stage_work.hpp"

#include "adapters/processing/stages/unless_away.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/trace_context.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace depositd::stages {

namespace {

/// The two queues of a pipeline that are no stages of jobs.
const stage_settings* stage_of_batches(const std::string& queue) {
  static const stage_settings split{.name = split_stage,
                                    .handler = split_handler};
  static const stage_settings report{.name = report_stage,
                                     .handler = report_handler};
  const auto dot = queue.rfind('.');
  const auto name = dot == std::string::npos ? "" : queue.substr(dot + 1);
  if (name == split_stage)
    return &split;
  return name == report_stage ? &report : nullptr;
}

outcome of(const claimed_item& item, outcome x) {
  x.id = item.id;
  x.token = item.token;
  x.member = item.member;
  return x;
}

const collection_settings* collection_of(const handle_item& x) {
  const auto document = json_of(x.item.body);
  if (!document.is_object())
    return nullptr;
  const auto name = document.find("collection");
  if (name == document.end() || !name->is_string())
    return nullptr;
  const auto at = x.control->collections.find(name->get<std::string>());
  return at == x.control->collections.end() ? nullptr : &at->second;
}

/// An item in a worker's hand, until it goes out of scope.
class hand {
public:
  hand(std::mutex& guard, std::map<item_id, micros>& items, item_id id)
    : guard_(guard), items_(items), id_(id) {
    const std::lock_guard locked{guard_};
    has_it_ = items_.emplace(id_, engine_clock::system().now()).second;
  }

  ~hand() {
    const std::lock_guard locked{guard_};
    if (has_it_)
      items_.erase(id_);
  }

  hand(const hand&) = delete;
  hand& operator=(const hand&) = delete;

  /// False: another one has it.
  bool has_it() const {
    return has_it_;
  }

private:
  std::mutex& guard_;
  std::map<item_id, micros>& items_;
  const item_id id_;
  bool has_it_ = false;
};

} // namespace

stage_work::stage_work(stage_work_options options)
  : options_(std::move(options)) {
  // nop
}

std::optional<outcome> stage_work::at_once(const handle_item& x) const {
  const auto* stage = stage_at(x);
  if (stage == nullptr || stage->kind == handler_kind::external)
    return of(x.item,
              ended(verdict::not_yet, "no stage of a pipeline in this program "
                                      "takes from "
                                        + x.queue));
  if (handler_of(*stage) != nullptr)
    return std::nullopt;
  if (stage->kind == handler_kind::built_in && stage->handler == noop_handler)
    return of(x.item, {});
  return of(x.item, ended(verdict::failed,
                          "this program has no handler " + stage->handler));
}

outcome stage_work::handle(handle_item& x) const {
  if (auto known = at_once(x))
    return std::move(*known);
  // A handler goes on with what was taken from it (failed by an operator, or
  // too slow), and two of them would write the same files.
  const hand mine{guard_, in_hand_, x.item.id};
  if (!mine.has_it())
    return of(x.item, ended(verdict::not_yet, "an earlier try has not ended"));
  const auto* stage = stage_at(x);
  outcome out;
  try {
    if (const auto wrong = fetch_body(x.item))
      out = unless_away(wrong, ended(verdict::retry, render(wrong)));
    else
      out = run(x, *stage, *handler_of(*stage));
  } catch (const std::exception& problem) {
    spdlog::error("stage_threw queue={} item={} reason=\"{}\"{}", x.queue,
                  x.item.id, problem.what(), trace_text(x.item));
    out = ended(verdict::retry,
                std::string{"the handler failed: "} + problem.what());
  } catch (...) {
    spdlog::error("stage_threw queue={} item={}{}", x.queue, x.item.id,
                  trace_text(x.item));
    out = ended(verdict::retry, "the handler failed");
  }
  // It may have ended only because of that, and handlers can repeat all.
  if (options_.is_cut && options_.is_cut())
    out = ended(verdict::release, "the program that worked on it was stopped");
  return of(x.item, std::move(out));
}

micros stage_work::begun(item_id id) const {
  const std::lock_guard locked{guard_};
  const auto at = in_hand_.find(id);
  return at == in_hand_.end() ? never : at->second;
}

const stage_settings* stage_work::stage_at(const handle_item& x) const {
  if (!x.control)
    return nullptr;
  const auto* batches = stage_of_batches(x.queue);
  return batches != nullptr ? batches
                            : options_.find_stage(*x.control, x.queue);
}

const stage_handler* stage_work::handler_of(const stage_settings& x) const {
  if (x.kind == handler_kind::exec)
    return options_.exec ? &options_.exec : nullptr;
  const auto at = options_.handlers.find(x.handler);
  return at == options_.handlers.end() ? nullptr : &at->second;
}

caf::error stage_work::fetch_body(claimed_item& x) const {
  if (x.kind == body_kind::inline_bytes || !options_.blobs)
    return {};
  auto bytes = options_.blobs->get(x.body);
  if (!bytes)
    return std::move(bytes.error());
  x.body = std::move(*bytes);
  x.kind = body_kind::inline_bytes;
  return {};
}

outcome stage_work::run(const handle_item& x, const stage_settings& stage,
                        const stage_handler& handler) const {
  return handler({x, stage, collection_of(x)});
}

} // namespace depositd::stages

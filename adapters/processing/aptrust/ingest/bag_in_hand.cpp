#include "adapters/processing/aptrust/ingest/bag_in_hand.hpp"

#include "adapters/processing/aptrust/ingest/ingest_facts.hpp"
#include "adapters/processing/merritt/keeping_steps.hpp"
#include "messages/values/clock.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;
using merritt::work_on_job;

void free_claim(work_item& x) {
  x.node.clear();
  x.pid = 0;
}

work_item taken(work_item x, item_stage stage, const std::string& node,
                micros now) {
  x.stage = stage;
  x.status = item_status::started;
  x.retry = true;
  x.needs_admin_review = false;
  x.outcome.clear();
  x.note = word(stage) + " has begun";
  x.node = node;
  x.pid = ::getpid();
  x.stage_started_at = now;
  return x;
}

void went_well(work_item& x, const outcome& how) {
  const bool last = x.stage == item_stage::cleanup;
  x.note = how.reason.empty() ? word(x.stage) + " is done" : how.reason;
  if (!last) {
    x.status = item_status::pending;
    // The stages stand in their order.
    x.stage = static_cast<item_stage>(static_cast<std::uint8_t>(x.stage) + 1);
    return;
  }
  x.status = item_status::success;
  x.retry = false;
  if (x.outcome.empty())
    x.outcome = "Ingest complete";
}

void went_wrong(work_item& x, const outcome& how, bool final) {
  x.note = how.reason;
  if (how.says == verdict::retry) {
    if (final) {
      x.retry = false;
      x.needs_admin_review = true;
      x.note += " (will not retry)";
    }
    return;
  }
  x.retry = false;
  x.needs_admin_review = true;
  // A rule may have said more exactly how it ends.
  if (!is_finished(x.status))
    x.status = item_status::failed;
  if (x.outcome.empty())
    x.outcome = how.reason;
}

/// Whether the item is in nobody's way any more.
bool is_over(const work_on_job& x, item_stage stage, verdict says) {
  switch (says) {
    case verdict::done:
    case verdict::skip:
      return stage == item_stage::cleanup;
    case verdict::failed:
    case verdict::rejected:
      return true;
    case verdict::retry:
      return merritt::is_last_attempt(x.task);
    default:
      return false;
  }
}

/// An earlier bag is on its way: this one is woken when it ends.
outcome wait_for_older(bag_in_hand& x, outcome out) {
  const auto& waits = x.work.tools.lock_waits;
  if (!waits)
    return out;
  // The earlier one says that it has ended before that is durable: till then
  // the read model has it as unfinished, and this one asks again.
  out.delay_ms = waits->wait(turn_of(x), x.work.task.item);
  // It may have ended before that was noted.
  const auto others = other_ingests(x);
  if (others && !others->older)
    out.delay_ms = 1;
  return out;
}

outcome visit(bag_in_hand& x, const ingest_step& step) {
  const auto facts = facts_of(x);
  if (!facts)
    return ended_for_now(facts.error(), "before " + word(x.item.stage));
  const auto why = should_skip(x.item, *facts);
  if (why == skip_reason::none)
    return step(x);
  const auto effect = apply_skip(x.item, why);
  auto out = ended(effect.says, effect.note);
  return why == skip_reason::older_unfinished ? wait_for_older(x, out) : out;
}

outcome run(work_on_job& work, const ingest_options& with, item_stage stage,
            const ingest_step& step) {
  const auto item = work_item_in(work.job.more);
  if (!item)
    return ended(verdict::failed, render(item.error()));
  if (!*item)
    return ended(verdict::rejected, "the job has no work item");
  const auto now = engine_clock::system().now();
  bag_in_hand x{
    work, with, taken(**item, stage, with.node, now), {work.folder.root}};
  auto out = visit(x, step);
  const bool final = merritt::is_last_attempt(work.task);
  if (out.says == verdict::done
      || (out.says == verdict::skip && !is_finished(x.item.status)))
    went_well(x.item, out);
  else if (out.says == verdict::not_yet)
    x.item.status = item_status::pending;
  else if (out.says != verdict::skip)
    went_wrong(x.item, out, final);
  free_claim(x.item);
  x.item.updated_at = now;
  put_work_item(work.job.more, x.item);
  if (is_over(work, stage, out.says) && work.tools.lock_waits)
    work.tools.lock_waits->ending(turn_of(x));
  return out;
}

/// Depositors write to the place: whoever puts a link there between two looks
/// must not have another one's bag read as his own. So what is opened is a
/// file and no link, and is read by what holds it.
caf::expected<readable_bag> open_in_place(const fs::path& path) {
  auto file = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file)
    return std::move(file.error());
  struct stat facts {};
  if (::fstat(file->value(), &facts) != 0)
    return file_failed("look at", path, errno);
  if (!S_ISREG(facts.st_mode))
    return caf::make_error(ec::store_failed,
                           path.string() + " is not a file any more");
  const auto held = "/proc/self/fd/" + std::to_string(file->value());
  return readable_bag{held, std::move(*file)};
}

/// A place's turn among those that bags are fetched from; where there is no
/// other it needs none.
caf::expected<std::optional<stages::receiver_turns::turn>>
turn_of_place(const bag_in_hand& x) {
  using turn = std::optional<stages::receiver_turns::turn>;
  if (x.work.tools.receiving.size() < 2)
    return turn{};
  const auto& task = x.work.task;
  auto out = x.with.turns->enter(task.item.queue + " " + x.item.bucket,
                                 {merritt::fetching_workers(task.stage) - 1});
  if (!out)
    return caf::make_error(ec::quota_reached,
                           "others of the receiving place " + x.item.bucket
                             + " are being fetched");
  return turn{std::move(out)};
}

/// What stands before a bucket may answer with a page of its own: it would be
/// called a bad bag, and the one that is there be removed some day.
caf::error check_fetched(const bag_in_hand& x, const fs::path& part) {
  std::error_code code;
  const auto bytes = fs::file_size(part, code);
  if (!code && bytes == x.item.size)
    return {};
  fs::remove(part, code);
  return caf::make_error(ec::store_failed,
                         x.item.name + " came with " + std::to_string(bytes)
                           + " bytes, and has "
                           + std::to_string(x.item.size));
}

} // namespace

stages::stage_handler
ingest_handler(std::shared_ptr<const ingest_options> options, item_stage stage,
               ingest_step step) {
  auto tools = options->tools;
  return merritt::job_handler(std::move(tools),
                              [options = std::move(options), stage,
                               step = std::move(step)](work_on_job& work) {
                                return run(work, *options, stage, step);
                              });
}

outcome ended_reading(const caf::error& failure) {
  const auto text = "the bag: " + render(failure);
  if (failure == ec::malformed || failure == ec::too_large)
    return ended(verdict::rejected, text);
  if (failure == ec::overloaded)
    return ended(verdict::not_yet, text);
  if (failure == ec::quota_reached)
    return merritt::ended_without_turn(text);
  if (failure == ec::bad_setting)
    return ended(verdict::failed, text);
  return ended(verdict::retry, text);
}

outcome ended_by_lists(const caf::error& failure, const std::string& about) {
  if (failure == ec::not_found || failure == ec::store_damaged)
    return ended(verdict::failed, about + ": " + render(failure)
                                    + ", requeue to ingest01_prefetch");
  return ended_for_now(failure, about);
}

outcome ended_for_now(const caf::error& failure, const std::string& about) {
  return ended(verdict::retry, about + ": " + render(failure));
}

receiving_place* place_of(const bag_in_hand& x) {
  const auto& places = x.work.tools.receiving;
  const auto at = places.find(x.item.bucket);
  return at == places.end() ? nullptr : at->second.get();
}

caf::error check_same_bag(const bag_in_hand& x) {
  auto* place = place_of(x);
  if (place == nullptr)
    return caf::make_error(ec::store_failed, "no receiving place "
                                               + x.item.bucket
                                               + " is set up here");
  const auto now = place->look(x.item.name);
  if (!now)
    return now.error();
  if (now->etag != x.item.etag)
    return caf::make_error(ec::store_damaged,
                           "the bag in the receiving place has changed");
  return {};
}

caf::error take_room(const bag_in_hand& x, std::uint64_t bytes) {
  if (bytes == 0)
    return {};
  using merritt::disk_answer;
  const auto here = merritt::bytes_below(x.files.root);
  if (!here)
    return here.error();
  const auto& tools = x.work.tools;
  const auto answer = x.with.room->let_in(
    tools.provision, {tools.work_folder, {x.files.root}, bytes, *here});
  if (!answer)
    return answer.error();
  if (*answer == disk_answer::has_room)
    return {};
  // What does not help is to wait, or to send the bag again.
  const auto code =
    *answer == disk_answer::is_full ? ec::overloaded : ec::bad_setting;
  return caf::make_error(code, merritt::why_no_room(*answer, bytes));
}

void give_back_room(const bag_in_hand& x) {
  if (auto failure = x.with.room->settle({x.files.root}))
    spdlog::warn("room_not_given_back job={} reason=\"{}\"", x.work.job.uuid,
                 render(failure));
}

void forget_copies(const bag_in_hand& x) {
  std::error_code ignored;
  fs::remove(x.files.bag(), ignored);
  fs::remove(x.files.part_of_staged(), ignored);
  fs::remove_all(x.files.staged(), ignored);
}

caf::expected<readable_bag> bag_to_read(const bag_in_hand& x,
                                        std::uint64_t beside) {
  auto* place = place_of(x);
  if (place == nullptr)
    return caf::make_error(ec::store_failed, "no receiving place "
                                               + x.item.bucket
                                               + " is set up here");
  const auto path = place->path_of(x.item.name);
  const auto to = x.files.bag();
  std::error_code code;
  const bool is_here = !path && fs::file_size(to, code) == x.item.size && !code;
  if (path || is_here) {
    if (auto failure = take_room(x, beside))
      return failure;
    return path ? open_in_place(*path)
                : caf::expected<readable_bag>{readable_bag{to, {}}};
  }
  const auto turn = turn_of_place(x);
  if (!turn)
    return turn.error();
  const fs::path part = to.string() + ".part";
  for (const auto& left : {to, part})
    fs::remove(left, code);
  if (auto failure = take_room(x, x.item.size + beside))
    return failure;
  if (auto failure = check_same_bag(x))
    return failure;
  if (auto failure = place->fetch(x.item.name, part))
    return failure;
  if (auto failure = check_fetched(x, part))
    return failure;
  x.with.room->arrived({x.files.root}, x.item.size);
  if (auto failure = check_same_bag(x))
    return failure;
  fs::rename(part, to, code);
  if (code)
    return caf::make_error(ec::store_failed, "cannot rename " + part.string()
                                               + ": " + code.message());
  return readable_bag{to, {}};
}

} // namespace depositd::aptrust

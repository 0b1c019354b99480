#include "adapters/processing/aptrust/fixity/fixity.hpp"

#include "adapters/digests/digester.hpp"
#include "adapters/processing/merritt/keeping_steps.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/test_points.hpp"
#include "messages/values/time_text.hpp"

#include <algorithm>
#include <utility>

namespace depositd::aptrust {

namespace {

using merritt::ended;
using merritt::in_quotes;

/// What is wrong with a copy, in the version that has it; empty: nothing. An
/// error may pass.
caf::expected<std::string>
fault_of(storage_target& in, const std::string& object, const stored_file& file,
         const caf::expected<std::uint32_t>& version) {
  digester sum{digest_algorithm::sha512};
  const auto failure = version ? in.read(object, *version, file.path,
                                         [&](std::string_view bytes) {
                                           sum.add(bytes);
                                           return caf::error{};
                                         })
                               : version.error();
  if (failure == ec::not_found || failure == ec::store_damaged)
    return render(failure);
  if (failure)
    return failure;
  const auto found = sum.finish().value;
  if (found == file.sha512)
    return std::string{};
  return "SHA-512 is " + found + ", not " + file.sha512;
}

class checking_file {
public:
  checking_file(order_work& x, fixity_book& book) : x_(x), book_(book) {
    // nop
  }

  outcome run() {
    if (auto ending = need_not())
      return *ending;
    const auto fault = look();
    if (!fault)
      return ended(verdict::retry, render(fault.error()));
    if (fault->empty())
      return well();
    return look_again();
  }

private:
  std::optional<outcome> need_not() {
    if (x_.is_cold_only())
      return ended(verdict::skip, "it is in cold storage only");
    // Of this file alone: an object may have a hundred thousand of them, each
    // with a job of its own.
    const auto last = book_.last_check(x_.object.identifier, x_.order.file);
    if (!last)
      return ended(verdict::retry, render(last.error()));
    if (!*last)
      return ended(verdict::skip,
                   in_quotes(x_.order.file) + " is no longer in the object");
    file_ = {x_.order.file, 0, (**last).sha512};
    const auto since =
      engine_clock::system().now() - x_.tools().restoring.fixity_age_us;
    if (!x_.order.anyway && (**last).checked_us > since)
      return ended(verdict::skip,
                   "it was checked at " + format_utc((**last).checked_us));
    return std::nullopt;
  }

  /// Whether the target, no version of which has the file, was given none: a
  /// collection's storage may change, and change back.
  caf::expected<bool> was_given_none(const std::string& name) const {
    // What is damaged can show nothing.
    if (!x_.tools().storage.at(name)->show(x_.object.identifier, 0))
      return false;
    const auto lacks = [&](const std::vector<std::string>& targets) {
      return std::find(targets.begin(), targets.end(), name) == targets.end();
    };
    const auto given = book_.targets_of(x_.object.identifier, file_);
    if (!given)
      return given.error();
    if (*given)
      return lacks(**given);
    // Nobody wrote it down: what the collection uses now is taken for what it
    // has used. Of one that is gone not even that is known.
    const auto* collection = x_.job.task.collection;
    return collection != nullptr && lacks(collection->storage);
  }

  /// What is wrong with the target's copy, if it has to have one.
  caf::expected<std::optional<std::string>>
  fault_in(const std::string& name) const {
    auto& target = *x_.tools().storage.at(name);
    const auto version = target.version_with(x_.object.identifier, file_);
    if (!version && version.error() == ec::store_damaged) {
      const auto need_not = was_given_none(name);
      if (!need_not)
        return need_not.error();
      if (*need_not)
        return std::nullopt;
    }
    auto out = fault_of(target, x_.object.identifier, file_, version);
    if (!out)
      return std::move(out.error());
    return std::move(*out);
  }

  /// What is wrong with the file's copies; empty: nothing.
  caf::expected<std::string> look() {
    std::string out;
    bool was_read = false;
    for (const auto& name : x_.targets()) {
      if (x_.tools().is_cold(name))
        continue;
      const auto fault = fault_in(name);
      if (!fault)
        return caf::make_error(ec::store_failed, "storage " + name + ": "
                                                   + render(fault.error()));
      if (!*fault)
        continue;
      was_read = true;
      if (!(*fault)->empty())
        out += (out.empty() ? "storage " : "; storage ") + name + ": "
               + **fault;
    }
    if (!was_read)
      return caf::make_error(ec::store_failed,
                             "no storage that has it can be read here");
    return out;
  }

  /// Copies that are in storage which is not set up here; empty: none is.
  std::string not_compared() const {
    std::string out;
    for (const auto& name : x_.object.storage)
      if (!x_.tools().storage.contains(name))
        out += (out.empty() ? "not compared: storage " : ", ") + name;
    return out.empty() ? out : out + " is not set up here";
  }

  outcome well() {
    const auto missing = not_compared();
    premis_facts facts;
    facts.outcome_detail = "sha512:" + file_.sha512
                           + (missing.empty() ? "" : "; " + missing);
    if (const auto failure = record(std::move(facts)))
      return ended(verdict::retry, render(failure));
    return ended(verdict::done, missing);
  }

  /// Somebody may be storing or deleting the object: what is wrong is said of
  /// what nobody works on.
  outcome look_again() {
    auto out = merritt::locked(
      [this](merritt::work_on_job&) { return judge_again(); })(x_.job);
    if (auto failure = merritt::give_up_locks(x_.job))
      out.reason += "; the object's lock stays for a while: " + render(failure);
    return out;
  }

  outcome judge_again() {
    const auto there = x_.tools().inventory->find(
      {.identifier = x_.object.identifier, .count_max = 1});
    if (!there)
      return ended(verdict::retry, render(there.error()));
    if (there->empty())
      return ended(verdict::skip,
                   in_quotes(x_.object.identifier) + " is no longer there");
    // What is said of it is said by the inventory's own row, which is checked.
    const auto files = files_of(x_);
    if (!files)
      return ended(verdict::retry, render(files.error()));
    const auto file = find_file(*files, x_.order.file);
    if (!file)
      return ended(verdict::skip,
                   in_quotes(x_.order.file) + " is no longer in the object");
    file_ = *file;
    const auto fault = look();
    if (!fault)
      return ended(verdict::retry, render(fault.error()));
    if (fault->empty())
      return well();
    premis_facts facts;
    facts.outcome = premis_failure;
    facts.outcome_detail = *fault;
    if (const auto failure = record(std::move(facts)))
      return ended(verdict::retry, render(failure));
    return ended(verdict::failed,
                 in_quotes(x_.order.file) + " is not what it was: " + *fault);
  }

  caf::error record(premis_facts facts) {
    facts.type = premis_types::fixity_check;
    // A job that was requeued says something new, and a repeat the same.
    facts.detail = "compared with SHA-512 of the inventory: " + facts.outcome;
    facts.file = x_.order.file;
    crash_point("fixity_read");
    auto failure = book_.checked(x_.object.identifier, x_.order.file,
                                 make_event(x_.scene(), std::move(facts)));
    crash_point("fixity_told");
    return failure;
  }

  order_work& x_;
  fixity_book& book_;
  stored_file file_; ///< as the inventory has it
};

} // namespace

outcome check_fixity(order_work& x) {
  auto* book = x.tools().inventory->checks();
  if (book == nullptr)
    return ended(verdict::failed, "this process has no inventory of its own");
  return checking_file{x, *book}.run();
}

} // namespace depositd::aptrust

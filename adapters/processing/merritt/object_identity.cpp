#include "adapters/processing/merritt/object_identity.hpp"

#include "adapters/processing/merritt/lock_clock.hpp"
#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/processing/merritt/object_turns.hpp"

#include <algorithm>

namespace depositd::merritt {

namespace {

class identity_search {
public:
  explicit identity_search(work_on_job& x)
    : x_(x), job_(x.job), inventory_(*x.tools.inventory),
      owner_(x.task.collection->owner) {
    // nop
  }

  std::optional<outcome> run() {
    // Only now is all known that stands in the payload's metadata.
    enter_turns(x_);
    if (auto ending = lock_local_ids())
      return ending;
    if (auto ending = look_up())
      return ending;
    if (job_.what.identifier.empty())
      return mint();
    enter_turns(x_);
    if (auto ending = lock(identifier_lock(job_, token(), lock_time())))
      return ending;
    if (x_.turns != nullptr)
      x_.turns->leave(x_.task.item.item.id);
    if (auto ending = find_object())
      return ending;
    return bind();
  }

private:
  claim_token token() const {
    return x_.task.item.item.token;
  }

  bool minted() const {
    return job_.more.contains(left_by_process::minted);
  }

  /// In one order for all, and all or none: two jobs never wait for each other.
  std::optional<outcome> lock_local_ids() {
    auto ids = job_.what.local_ids;
    std::sort(ids.begin(), ids.end());
    for (const auto& id : ids)
      if (auto ending =
            lock(local_id_lock(job_, owner_, id, token(), lock_time())))
        return ending;
    return std::nullopt;
  }

  std::optional<outcome> lock(const object_lock& wanted) {
    if (!minted()) // who has begun has its locks
      if (auto ending = wait_for_turn(x_, wanted))
        return ending;
    const auto taken = inventory_.lock(wanted, lock_time());
    if (!taken)
      return ended(verdict::retry, depositd::render(taken.error()));
    if (*taken)
      return std::nullopt;
    return wait_for_lock(x_, wanted);
  }

  std::uint64_t minted_in_vain() const {
    return job_.more.value(left_by_process::minted_in_vain, std::uint64_t{0});
  }

  /// The same for the same identifier: a repeat after a crash makes no other.
  std::string minting_key() const {
    const auto vain = minted_in_vain();
    return vain == 0 ? job_.uuid : job_.uuid + "/" + std::to_string(vain);
  }

  std::optional<outcome> look_up() {
    std::string known;
    std::string known_as;
    for (const auto& id : job_.what.local_ids) {
      const auto found = inventory_.of_local_id(owner_, id);
      if (!found)
        return ended(verdict::retry, depositd::render(found.error()));
      if (!*found)
        continue;
      if (!known.empty() && known != **found)
        return ended(verdict::failed, "the local id " + in_quotes(id) + " is "
                                        + **found + "'s, but "
                                        + in_quotes(known_as) + " is " + known
                                        + "'s");
      known = **found;
      known_as = id;
    }
    if (known.empty() || known == job_.what.identifier)
      return std::nullopt;
    if (!job_.what.identifier.empty() && !minted())
      return ended(verdict::failed, "the local id " + in_quotes(known_as)
                                      + " is " + known + "'s, not "
                                      + job_.what.identifier + "'s");
    job_.what.identifier = known;
    job_.more.erase(left_by_process::minted);
    return std::nullopt;
  }

  outcome mint() {
    if (job_.update)
      return ended(verdict::failed,
                   job_.what.local_ids.empty()
                     ? "an update needs an identifier or a local id"
                     : "an update, but no object has the local id "
                         + in_quotes(job_.what.local_ids.front()));
    auto found = x_.tools.minter->mint({.key = minting_key(),
                                        .who = job_.what.creator,
                                        .what = job_.what.title,
                                        .when = job_.what.date,
                                        .target = {}});
    // A key that is refused is refused for all.
    if (!found && found.error() == ec::wrong_credentials)
      return ended(verdict::not_yet, "no identifier was minted: "
                                       + depositd::render(found.error()));
    // Nor is this job at fault if something else than a minter answers.
    if (!found && found.error() == ec::malformed)
      return ended(verdict::retry, "no identifier was minted: "
                                     + depositd::render(found.error()));
    if (!found)
      return ended(found.error(), verdict::failed, "no identifier was minted");
    if (!legal_ark(*found))
      return ended(verdict::retry,
                   "the minter gave " + in_quotes(*found)
                     + ", which is no ARK");
    job_.what.identifier = kept_identifier(std::move(*found));
    job_.more[left_by_process::minted] = true;
    auto out = ended(verdict::not_yet, "minted " + job_.what.identifier);
    out.delay_ms = 1;
    return out;
  }

  bool is_made_by_this(const inventory_object& x) const {
    return std::any_of(x.versions.begin(), x.versions.end(),
                       [&](const auto& made) { return made.job == job_.uuid; });
  }

  /// A minter that repeats itself, as one that was brought back from a copy,
  /// or a depositor who names what would be minted next, would have this become
  /// a version of somebody else's object.
  outcome mint_anew() {
    auto out =
      ended(verdict::retry, "the minter gave " + job_.what.identifier
                              + " again, which is an object already");
    job_.what.identifier.clear();
    job_.more.erase(left_by_process::minted);
    job_.more[left_by_process::minted_in_vain] = minted_in_vain() + 1;
    return out;
  }

  std::optional<outcome> find_object() {
    inventory_search search;
    search.identifier = job_.what.identifier;
    search.count_max = 1;
    const auto found = inventory_.find(search);
    if (!found)
      return ended(verdict::retry, depositd::render(found.error()));
    job_.more.erase(left_by_process::known_object);
    if (found->empty())
      return job_.update ? std::optional{ended(
               verdict::failed,
               "an update, but there is no object " + job_.what.identifier)}
                         : std::nullopt;
    const auto& object = found->front();
    if (minted() && !is_made_by_this(object))
      return mint_anew();
    if (object.collection != job_.collection) // whose is not theirs to know
      return ended(verdict::failed, job_.what.identifier
                                      + " is an object of another collection");
    job_.more[left_by_process::known_object] = true;
    return add_local_ids(object.local_ids);
  }

  /// What an object has had for long is no reason to refuse a new version.
  std::optional<outcome> add_local_ids(const std::vector<std::string>& known) {
    auto all = merge_local_ids(job_.what.local_ids, known);
    if (all.size() > std::max(local_ids_max, known.size()))
      return ended(verdict::failed, "with those of " + job_.what.identifier
                                      + " " + local_ids_fault(all));
    job_.what.local_ids = std::move(all);
    return std::nullopt;
  }

  std::optional<outcome> bind() {
    for (const auto& id : job_.what.local_ids) {
      const auto failure =
        inventory_.bind_local_id(owner_, id, job_.what.identifier);
      if (failure == ec::already_exists)
        return ended(verdict::failed,
                     "the local id " + in_quotes(id)
                       + " is another object's: " + depositd::render(failure));
      if (failure)
        return ended(verdict::retry, depositd::render(failure));
    }
    return std::nullopt;
  }

  work_on_job& x_;
  job_document& job_;
  inventory& inventory_;
  const std::string& owner_;
};

} // namespace

std::optional<outcome> find_identity(work_on_job& x) {
  return identity_search{x}.run();
}

} // namespace depositd::merritt

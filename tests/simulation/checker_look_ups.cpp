// What depositors are told of their submissions, against the journal.

#include "messages/values/operations.hpp"
#include "tests/simulation/checker.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace depositd::simulation {

namespace {

/// How a submission stood, from which entry on.
struct course {
  std::vector<std::pair<std::size_t, submission_status>> stands;
  bool moved = false; ///< to another queue: it is not told what happens there

  bool is_over() const {
    return !stands.empty()
           && stands.back().second == submission_status::completed;
  }

  /// Whether it may be told so to who asked at an entry.
  bool may_be(const std::optional<submission_status>& told,
              std::size_t asked_at) const {
    std::optional<submission_status> then;
    for (const auto& [since, status] : stands)
      if (since < asked_at)
        then = status;
      else if (told == status)
        return true;
    return told == then;
  }
};

class courses {
public:
  void follow(const event& x, std::size_t at) {
    std::visit([&](const auto& fields) { add(fields, at); }, x);
  }

  const course& of(item_id id) {
    return all_[id];
  }

private:
  template <class Event>
  void add(const Event&, std::size_t) {
    // nothing that a depositor is told
  }

  void add(const submission_received& x, std::size_t at) {
    all_[x.id].stands.emplace_back(at, submission_status::queued);
  }
  void add(const item_claimed& x, std::size_t at) {
    goes_on(x.id, submission_status::in_process, at);
  }
  void add(const item_released& x, std::size_t at) {
    goes_on(x.id, submission_status::queued, at);
  }
  void add(const item_finished& x, std::size_t at) {
    goes_on(x.id, submission_status::completed, at);
  }
  void add(const submission_ended& x, std::size_t at) {
    goes_on(x.id, submission_status::completed, at);
  }
  void add(const item_moved& x, std::size_t) {
    if (x.to == notify_queue)
      return; // its end comes with it
    if (const auto found = all_.find(x.id); found != all_.end())
      found->second.moved = !found->second.is_over();
  }

  void goes_on(item_id id, submission_status to, std::size_t at) {
    const auto found = all_.find(id);
    if (found != all_.end() && !found->second.is_over())
      found->second.stands.emplace_back(at, to);
  }

  std::unordered_map<item_id, course> all_;
};

} // namespace

void check_look_ups(const history& x, findings& out) {
  courses all;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    if (const auto* record = std::get_if<journalled>(&x.entries[i].what))
      all.follow(record->what, i);
    const auto* told = std::get_if<looked_up>(&x.entries[i].what);
    if (told == nullptr)
      continue;
    const auto& course = all.of(told->id);
    if (!course.moved && !course.may_be(told->found, told->asked_at))
      out.push_back({"A-1", i,
                     "who asked for " + std::to_string(told->id)
                       + " was told what is not so"});
  }
}

} // namespace depositd::simulation

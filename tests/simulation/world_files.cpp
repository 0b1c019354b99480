// Deposits that bring their files with them: whoever asks gets what was sent,
// and what failed is sent again from what was kept.

#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/operations.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace depositd::simulation {

namespace {

/// Of the last, those that are read at the end.
constexpr std::size_t read_at_end_max = 60;

} // namespace

void world::step_of_files() {
  if (files_.empty() || file_chance_.one_in(2))
    return send_file();
  read_file(file_chance_.one_in(2));
}

void world::send_file() {
  const auto number = std::to_string(++files_sent_);
  auto file = "<file " + number + "/>";
  if (file_chance_.one_in(3))
    file.resize(file.size() + 1 + file_chance_.below(400), '.');
  send_file(std::string{"u"}.append(
              std::to_string(file_chance_.below(knobs_.users))),
            "file" + number, file);
}

void world::send_file(const std::string& user, const std::string& name,
                      const std::string& file) {
  submit message;
  message.user = user;
  message.submission.source = source_http.name;
  message.submission.file_name = name;
  message.submission.size = file.size();
  message.body = file;
  deposit(std::move(message), [=, this](const submitted& x) {
    files_[x.id] = file;
  });
}

template <class Then>
void world::ask_for_file(item_id id, Then then) {
  read_model_actor reads;
  if (!is_shared() && engine_)
    reads = engine_->core.projector;
  else if (const auto* engine = is_shared() ? some_engine() : nullptr)
    reads = engine->reader;
  if (!reads)
    return;
  submission_query what;
  what.id = id;
  what.count_max = 1;
  what.with_contents = true;
  caf::anon_send(
    outside_, act{[=, this](caf::event_based_actor* self) {
      self->request(reads, std::chrono::minutes{10}, what)
        .then(then, [=, this](const caf::error& e) {
          if (e == ec::store_damaged) // else nobody is there just now
            tell(left_over{"no file any more of " + std::to_string(id)});
        });
    }});
}

/// And, if it failed, sends it again.
void world::read_file(bool again) {
  const auto back = file_chance_.below(
    std::min<std::uint32_t>(static_cast<std::uint32_t>(files_.size()), 12));
  const auto id = std::prev(files_.end(), 1 + back)->first;
  ask_for_file(id, [=, this](const submissions_found& x) {
    for (const auto& row : x.rows)
      take_file(row, again);
  });
}

void world::take_file(const submission_row& row, bool again) {
  const auto sent = files_.find(row.id);
  if (sent == files_.end() || row.contents != sent->second)
    tell(left_over{"a file that is not what was sent with "
                   + std::to_string(row.id)});
  else if (again && row.failed)
    send_file(row.user,
              row.submission.file_name + '+' + std::to_string(++files_sent_),
              row.contents);
}

void world::list_left_files() {
  const auto count = std::min(files_.size(), read_at_end_max);
  for (auto at = std::prev(files_.end(), static_cast<std::ptrdiff_t>(count));
       at != files_.end(); ++at)
    ask_for_file(at->first, [=, this, id = at->first](
                              const submissions_found& x) {
      for (const auto& row : x.rows)
        take_file(row, false);
      if (x.rows.empty() && !knobs_.questions && !knobs_.ages)
        tell(left_over{"no file of " + std::to_string(id)});
    });
  settle();
}

} // namespace depositd::simulation

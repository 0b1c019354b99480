// Deposits whose files are in the store of large ones: doors and operators put
// them there first, the intake what is large of records, and whoever works on
// one reads it, as the program does. The store fails, is away, and loses some.

#include "actors/operators/submitter.hpp"
#include "adapters/processing/crossref/submission_handler.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/records.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"
#include "tests/simulation/topics_of_lives.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace depositd::simulation {

namespace {

/// Each is copied again and again.
constexpr std::uint32_t large_records_max = 6;
/// Of the last, those that are looked at in the end.
constexpr std::size_t looked_at_end_max = 40;
constexpr std::uint32_t away_max_s = 60;
/// Of a queue that deposits of every door get into.
constexpr const char* operation_of_files = "doTransferDOIsUpload";

} // namespace

void world::open_blobs() {
  if (knobs_.blobs)
    blobs_ = std::make_shared<simulated_blobs>(simulated_blobs::surroundings{
      &told_, &blob_chance_, [this] { return now_us(); }});
}

void world::set_blob_faults(bool on) {
  if (!blobs_)
    return;
  blobs_->faults = {};
  if (on)
    blobs_->faults = {5, 12, 4};
  else
    blobs_->be_away_until(0);
}

void world::step_of_blobs() {
  switch (blob_chance_.below(10)) {
    case 0:
      return blobs_->be_away_until(
        now_us() + std::int64_t{blob_chance_.below(away_max_s)} * 1'000'000);
    case 1:
      return blob_chance_.one_in(2) ? blobs_->lose_one() : deposit_kept();
    case 2:
    case 3:
      return order_file();
    case 4:
      return order_file_again();
    case 5:
    case 6:
      return produce_large();
    default:
      return deposit_kept();
  }
}

/// Under a name of its own; some have the same bytes as another.
std::pair<std::string, std::string> world::some_file() {
  auto name = std::string{"large"}.append(std::to_string(++bodies_));
  const auto number =
    blob_chance_.one_in(5) ? blob_chance_.below(3) : 100 + bodies_;
  auto bytes = "file " + std::to_string(number);
  names_kept_[name] = sha256_hex(bytes);
  return {std::move(name), std::move(bytes)};
}

std::string world::user_of_a_file() {
  return std::string{"u"}.append(
    std::to_string(blob_chance_.below(knobs_.users)));
}

/// As doors do. Who is told that it cannot be kept has no deposit.
void world::deposit_kept() {
  auto [name, bytes] = some_file();
  auto kept = blobs_->put(bytes);
  if (!kept)
    return;
  submit message;
  message.user = user_of_a_file();
  message.submission.source = source_drop.name;
  message.submission.operation = operation_of_files;
  message.submission.file_name = name;
  message.submission.size = bytes.size();
  message.submission.blob = std::move(*kept);
  deposit(std::move(message), [this](const submitted& x) {
    kept_deposits_.push_back(x);
  });
}

/// A record that has more in it than goes into a journal.
void world::produce_large() {
  if (!topics_ || large_records_ == large_records_max)
    return deposit_kept();
  ++large_records_;
  const auto user = user_of_a_file();
  produced fact;
  fact.body = std::string{"r"}.append(std::to_string(++bodies_));
  std::string bytes(inline_submission_bytes_max + 1 + blob_chance_.below(9),
                    static_cast<char>('a' + blob_chance_.below(26)));
  names_kept_[fact.body] = sha256_hex(bytes);
  const auto partition = static_cast<std::int32_t>(
    blob_chance_.below(static_cast<std::uint32_t>(partitions_)));
  source_record x;
  x.key = "key";
  x.has_value = true;
  x.value = user + " metadata " + fact.body + ' ' + bytes;
  tell(attempted{fact.body, "metadata", user});
  fact.partition = "in/" + std::to_string(partition);
  fact.shard = shard_of_words(x, fact.partition, knobs_.shards);
  fact.offset = append_memory_record(*topics_, "in", partition, std::move(x));
  tell(std::move(fact));
}

template <class Request>
void world::order(Request what, const std::string& name,
                  const std::string& user) {
  const auto shard = way_in();
  if (!shard)
    return;
  const auto by = system_.spawn(operators::submitter,
                                operators::submitter_options{blobs_, shard});
  submitters_.push_back(by);
  if (is_shared())
    own_new_actors(0);
  tell(attempted{name, "metadata", user});
  caf::anon_send(
    outside_,
    act{[=, this](caf::event_based_actor* self) {
      self->request(by, std::chrono::minutes{10}, what)
        .then(
          [=, this](const enqueued& x) {
            if (x.ids.at(0) == 0)
              return tell(refused{name});
            tell(acknowledged{name, x.ids[0]});
            kept_deposits_.push_back({x.ids[0], user, name});
          },
          [=, this](const caf::error& why) {
            if (why == ec::not_found && blobs_->has(names_kept_[name]))
              tell(left_over{"a file that is said not to be kept: " + name});
          });
    }});
}

void world::order_file() {
  auto [name, bytes] = some_file();
  const auto user = user_of_a_file();
  order(submit_file{user, name, operation_of_files, encode_base64(bytes)},
        name, user);
}

template <class Then>
void world::look_at_kept(item_id id, Then then) {
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
  caf::anon_send(
    outside_, act{[=](caf::event_based_actor* self) {
      self->request(reads, std::chrono::minutes{10}, what)
        .then([=](const submissions_found& x) {
                for (const auto& row : x.rows)
                  then(row);
              },
              [](const caf::error&) { /* not now */ });
    }});
}

/// What has failed, with the file that is kept of it.
void world::order_file_again() {
  if (kept_deposits_.empty())
    return order_file();
  const auto back = blob_chance_.below(std::min<std::uint32_t>(
    static_cast<std::uint32_t>(kept_deposits_.size()), 12));
  const auto id = (kept_deposits_.end() - 1 - back)->id;
  look_at_kept(id, [this](const submission_row& row) {
    const auto known = names_kept_.find(row.submission.file_name);
    if (!row.failed || known == names_kept_.end())
      return;
    auto again = row.submission;
    again.file_name += "+" + std::to_string(++bodies_);
    names_kept_[again.file_name] = known->second;
    const auto name = again.file_name;
    order(submit_again{row.queue, row.user, std::move(again), {}}, name,
          row.user);
  });
}

/// What the program's own handler says of a deposit whose file it has to read;
/// `otherwise` once it has it, whatever it thinks of that.
outcome world::with_its_file(std::uint32_t processor, const claimed_item& item,
                             const outcome& otherwise) {
  const auto found = decode_submission_body(item.body);
  if (!blobs_ || !found)
    return otherwise;
  const auto& submission = found->submission;
  const auto known = names_kept_.find(submission.file_name);
  if (known == names_kept_.end())
    return otherwise;
  if (submission.blob != known->second)
    tell(left_over{submission.file_name + " with a file that is another's"});
  const crossref::submission_handler handler{blobs_, nullptr, nullptr};
  auto out =
    handler.handle({"metadata", "a processor", item, nullptr}, control_state{});
  const auto said = blobs_->said();
  const auto& by_life = said == file_said::given ? otherwise : out;
  tell(file_asked{processor, item.id, said, by_life.says});
  return by_life;
}

void world::list_left_blobs() {
  const auto count = std::min(kept_deposits_.size(), looked_at_end_max);
  for (auto i = kept_deposits_.size() - count; i < kept_deposits_.size(); ++i)
    look_at_kept(kept_deposits_[i].id, [this](const submission_row& row) {
      const auto& x = row.submission;
      const auto known = names_kept_.find(x.file_name);
      if (known == names_kept_.end() || x.blob != known->second)
        tell(left_over{x.file_name + " with a file that is another's"});
    });
  settle();
}

} // namespace depositd::simulation

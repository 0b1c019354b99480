#include "tests/simulation/order_office.hpp"

#include "messages/catalogue.hpp"
#include "messages/shard.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/work.hpp"
#include "tests/simulation/simulated.hpp"

#include <caf/send.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace depositd::simulation {

namespace {

constexpr std::chrono::minutes patience{1};

/// More than any answer takes while nobody is held up.
constexpr std::uint32_t messages_max = 20'000;

/// How often what was missed is looked for.
constexpr std::uint32_t every_s = 20;

caf::error no_such_question() {
  return caf::make_error(ec::not_found, std::string{"nobody asks for that"});
}

} // namespace

/// Like a thread of the program that waits, as long as its patience lasts:
/// then it does not know.
template <class Answer, class Actor, class Request>
caf::expected<Answer> order_office::await(const Actor& whom, Request what) {
  using result = std::optional<caf::expected<Answer>>;
  const auto heard = std::make_shared<result>();
  caf::anon_send(around_.outside,
                 act{[=](caf::event_based_actor* self) {
                   self->request(whom, patience, what)
                     .then([=](const Answer& x) { *heard = x; },
                           [=](const caf::error& e) { *heard = e; });
                 }});
  auto left = messages_max;
  if (!around_.is_calm() && around_.by->one_in(8))
    left = around_.by->below(40);
  while (!*heard && left > 0 && around_.go_on())
    --left;
  if (!*heard)
    return caf::make_error(ec::overloaded,
                           std::string{"the shard does not answer"});
  return std::move(**heard);
}

/// The read model, as a thread asks it.
class awaited_work final : public work_reader {
public:
  awaited_work(order_office& office, read_model_actor reads)
    : office_(office), reads_(std::move(reads)) {
    // nop
  }

  caf::expected<std::vector<batch_row>> batches(const batch_query& x) override {
    auto found = office_.await<batches_found>(reads_, x);
    if (!found)
      return std::move(found.error());
    return std::move(found->rows);
  }

  caf::expected<std::vector<job_row>> jobs(const job_query&) override {
    return no_such_question();
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return no_such_question();
  }

private:
  order_office& office_;
  const read_model_actor reads_;
};

catalogue_actor order_office::spawn_catalogue() {
  return around_.system->spawn(
    [this](catalogue_actor::pointer) -> catalogue_actor::behavior_type {
      return {
        [](const find_checks&) -> caf::result<checks_found> {
          return no_such_question();
        },
        [this](const search_objects& x) -> caf::result<objects_found> {
          objects_found out;
          for (const auto& one : x.any) {
            const auto at = objects_.find(one.identifier);
            if (at == objects_.end())
              continue;
            auto& found = out.objects.emplace_back();
            found.identifier = at->first;
            found.owner = at->second.owner;
            found.collection = at->second.collection;
            found.storage = {"local"};
          }
          return out;
        },
        [](const find_object_files&) -> caf::result<object_files_found> {
          return no_such_question();
        },
        [](const find_premis&) -> caf::result<premis_found> {
          return no_such_question();
        },
        [](const measure_collections&) -> caf::result<collections_measured> {
          return no_such_question();
        },
        [](const measure_recorded&) -> caf::result<recorded_measured> {
          return no_such_question();
        },
      };
    });
}

order_actors order_office::spawn(const engine_parts& of) {
  order_actors out;
  out.catalogue = spawn_catalogue();
  operators::order_desk_options desk;
  desk.shard = of.shards;
  desk.catalogue = out.catalogue;
  desk.clock = of.clock;
  desk.new_uuid = [this] {
    return std::string{"o"}.append(std::to_string(++uuids_));
  };
  out.desk = around_.system->spawn(operators::order_desk, std::move(desk));
  operators::reconciler_options due;
  reconciler_settings deletions;
  deletions.name = "deletions";
  deletions.every_s = every_s;
  deletions.query = due_query::deletions_missed;
  due.all = {std::move(deletions)};
  due.shard = of.shards;
  due.work = std::make_shared<awaited_work>(*this, of.reads);
  due.submit
    = [this, to = of.shards](submit_batch x) -> caf::expected<item_id> {
    const auto uuid = x.info.uuid;
    const auto said = await<batch_accepted>(to, std::move(x));
    if (!said)
      return said.error();
    around_.told->add(around_.now_us(), acknowledged{uuid, said->id});
    return said->id;
  };
  due.propose = [this, to = of.shards](std::vector<event> x) {
    const auto said = await<depositd::done>(to, propose{std::move(x)});
    return said ? caf::error{} : said.error();
  };
  due.leads = of.leads;
  due.clock = of.clock;
  due.retry = std::chrono::seconds{5};
  out.due = around_.system->spawn(operators::reconciler, std::move(due));
  return out;
}

/// What is deleted is stored nowhere any more.
void order_office::done(const std::string& queue, const std::string& body) {
  if (queue != stage_queue_name(order_pipeline(order_kind::delete_item),
                                "delete"))
    return;
  const auto job = decode_job_document(body);
  const auto order = job ? order_in(job->more)
                         : caf::expected<std::optional<preservation_order>>{
                           std::nullopt};
  if (order && *order)
    objects_.erase((**order).object);
  else
    around_.told->add(around_.now_us(),
                      left_over{"a job of an order that has none"});
}

} // namespace depositd::simulation

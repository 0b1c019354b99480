#include "adapters/processing/stages/read_model_reader.hpp"

#include "messages/projection.hpp"
#include "messages/work.hpp"

#include <caf/scoped_actor.hpp>

#include <utility>

namespace depositd::stages {

namespace {

class read_model_reader final : public work_reader {
public:
  read_model_reader(caf::actor_system& system,
                    read_model_reader_options options)
    : system_(system), options_(std::move(options)) {
    // nop
  }

  caf::expected<std::vector<batch_row>> batches(const batch_query& x) override {
    return ask<batches_found, batch_row>(x);
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& x) override {
    return ask<jobs_found, job_row>(x);
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query& x) override {
    return ask<submissions_found, submission_row>(x);
  }

private:
  template <class Found, class Row, class Query>
  caf::expected<std::vector<Row>> ask(const Query& what) {
    caf::expected<std::vector<Row>> out{std::vector<Row>{}};
    caf::scoped_actor self{system_};
    self->request(options_.from, options_.patience, what)
      .receive([&](Found& found) { out = std::move(found.rows); },
               [&](const caf::error& why) {
                 out = why == caf::sec::request_timeout ? caf::make_error(
                         ec::overloaded,
                         std::string{"the read model does not answer"})
                                                        : why;
               });
    return out;
  }

  caf::actor_system& system_;
  const read_model_reader_options options_;
};

} // namespace

std::shared_ptr<work_reader>
make_read_model_reader(caf::actor_system& system,
                       read_model_reader_options options) {
  return std::make_shared<read_model_reader>(system, std::move(options));
}

} // namespace depositd::stages

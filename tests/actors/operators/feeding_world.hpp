#pragma once

// What shards with schedulers and records answer an operator.

#include "messages/projection.hpp"
#include "messages/sources.hpp"
#include "messages/values/errors.hpp"

#include <caf/result.hpp>

#include <vector>

namespace depositd::testing {

struct feeding_world {
  std::vector<scheduler_report> reports;
  std::vector<report_schedulers> asked;
  std::vector<find_record> looked_for;
  record_found found;
  std::vector<explain_strategy> explained;
  strategy_explained explanation;
  std::vector<test_source> tested;
  source_tested batch;
  std::vector<feed_by_hand> fed;
  std::size_t feeds_max = 1'000; ///< further ones are refused
  std::vector<bad_record> bad;   ///< of each group that is fed
  std::vector<record_row> failed;
  std::vector<failed_query> failed_queries;
  bool silent = false; ///< schedulers report nothing
  caf::error refusal;  ///< of a batch that is tried, if set

  caf::result<schedulers_reported> answer(const report_schedulers& x) {
    asked.push_back(x);
    if (silent)
      return caf::delegated<schedulers_reported>{};
    schedulers_reported out;
    for (const auto& one : reports)
      if (x.scheduler.empty() || one.name == x.scheduler)
        out.schedulers.push_back(one);
    return out;
  }

  caf::result<record_found> answer(const find_record& x) {
    looked_for.push_back(x);
    return found;
  }

  caf::result<strategy_explained> answer(const explain_strategy& x) {
    explained.push_back(x);
    return explanation;
  }

  caf::result<source_tested> answer(const test_source& x) {
    tested.push_back(x);
    if (refusal)
      return refusal;
    return batch;
  }

  caf::result<fed_by_hand> answer(const feed_by_hand& x) {
    if (fed.size() >= feeds_max)
      return caf::make_error(ec::overloaded, std::string{"too much waits"});
    fed.push_back(x);
    return fed_by_hand{x.records.size() - bad.size(), bad};
  }

  /// In the order of their places, as many as are asked for.
  caf::result<failed_found> answer(const failed_query& x) {
    failed_queries.push_back(x);
    failed_found out;
    for (const auto& row : failed)
      if (row.place > x.after && out.rows.size() < x.count_max)
        out.rows.push_back(row);
    return out;
  }
};

} // namespace depositd::testing

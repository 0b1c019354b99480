#pragma once

// What the read model has of a submission.

#include "messages/projection.hpp"
#include "tests/support/engine_fixture.hpp"

namespace depositd::testing {

/// Of a fixture whose engine's read model can be asked.
class showing_submissions : public engine_fixture {
protected:
  submission_row row_of(item_id id) {
    submission_query query;
    query.id = id;
    query.with_contents = true;
    const auto found = ask<submissions_found>(read_model, query);
    EXPECT_TRUE(found && found->rows.size() == 1);
    return found && !found->rows.empty() ? found->rows[0] : submission_row{};
  }
};

} // namespace depositd::testing

#pragma once

// What answers of the door must be, to the byte where clients look at bytes.

#include "tests/adapters/doors/emodb/acceptance_client.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd::testing {

/// 200 and exactly this body as `application/json`.
::testing::AssertionResult says(const http_answer& x, const std::string& body);

/// The answer to every call that changes something.
::testing::AssertionResult is_ok(const http_answer& x);

/// 200 with some JSON as `application/json`.
::testing::AssertionResult is_json(const http_answer& x);

/// An argument error that the Java client shows as IllegalArgumentException;
/// the text begins like this.
::testing::AssertionResult is_illegal(const http_answer& x,
                                      const std::string& text = {});

/// The text is this and nothing else.
::testing::AssertionResult is_illegal_exactly(const http_answer& x,
                                              const std::string& text);

/// A parameter that cannot be read.
::testing::AssertionResult is_unreadable(const http_answer& x,
                                         const std::string& text);

/// A body that is not JSON or of the wrong shape.
::testing::AssertionResult is_bad_json(const http_answer& x);

/// 422 for a body that is not there.
::testing::AssertionResult is_empty_body(const http_answer& x);

/// No key, an unknown one, or one that may not.
::testing::AssertionResult is_forbidden(const http_answer& x);

/// A batch for several queues, one of which is closed to the key.
::testing::AssertionResult is_forbidden_for(const http_answer& x,
                                            const std::string& queue);

::testing::AssertionResult is_unknown_move(const http_answer& x,
                                           const std::string& reference);

/// 503 as clients of EmoDB understand it.
::testing::AssertionResult is_unavailable(const http_answer& x);

/// 405 that allows this method.
::testing::AssertionResult is_wrong_method(const http_answer& x,
                                           const std::string& allowed);

/// A status from before the door's own errors.
::testing::AssertionResult has_status(const http_answer& x, unsigned status);

} // namespace depositd::testing

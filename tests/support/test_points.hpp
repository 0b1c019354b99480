#pragma once

// What messages/values/test_points.hpp reaches in programs whose sources are
// compiled with DEPOSITD_TEST_POINTS. DEPOSITD_CRASH_POINT=NAME[:N] kills the
// process with SIGKILL when it passes the point for the Nth time. Who passes
// DEPOSITD_HOLD_POINT=NAME stands still there while the file
// DEPOSITD_HOLD_FILE=PATH exists, so that a test can look at the moment, or
// kill the process in it. DEPOSITD_SEEDED_BUG=NAME makes one mistake on
// purpose. DEPOSITD_CLAIM_PROTOCOL=NAME and DEPOSITD_CLAIM_SCHEMA=NUMBER make
// it pass for a program of another version (claimed_version.hpp).

#include <string>

namespace depositd::testing {

/// Makes this mistake from now on, and no other; none if empty. For programs
/// of one thread.
void seed_bug(std::string name);

} // namespace depositd::testing

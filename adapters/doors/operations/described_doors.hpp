#pragma once

// docs/openapi.yaml, which describes the doors of clients, as a part of the
// program.

#include <nlohmann/json_fwd.hpp>

namespace depositd {

/// The document; made once.
const nlohmann::ordered_json& described_doors();

} // namespace depositd

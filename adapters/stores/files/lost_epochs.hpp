#pragma once

// Epochs that were given, and of which a copy of the journal has not heard.

#include "messages/values/types.hpp"

namespace depositd {

/// So often a journal may be opened after a copy of it was made and before the
/// copy takes its place: whoever opens that passes over so many epochs. What is
/// numbered under an epoch (tokens of claims, revisions of settings) may be
/// known outside by then, and is given to nobody else.
inline constexpr epoch_number lost_epochs_max = 1'000;

} // namespace depositd

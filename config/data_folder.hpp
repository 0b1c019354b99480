#pragma once

// Who else gets at a data folder that is there already.

#include "messages/values/errors.hpp"

#include <filesystem>
#include <string>

namespace depositd {

/// Takes from others the right to write there: whoever may put files in place
/// of ours decides what the engine believes. `ec::bad_setting` where that is
/// not ours to take, as in a folder of everybody's. Without the folder there is
/// nothing to do; otherwise returns what was done, or nothing.
caf::expected<std::string>
close_data_folder(const std::filesystem::path& folder);

/// `ec::bad_setting` for a folder below another data folder, as a part of one
/// is: what is in it would be taken for a store, or a new one begun among it.
caf::error check_folder_of_its_own(const std::filesystem::path& folder);

/// What is to be said of one that others than its owner may look into: it is
/// left as it is, since that may be meant. Empty: nothing.
std::string data_folder_remark(const std::filesystem::path& folder);

} // namespace depositd

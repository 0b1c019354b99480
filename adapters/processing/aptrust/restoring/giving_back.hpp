#pragma once

// What restoring a file and an object have in common.

#include "adapters/processing/aptrust/orders/order_work.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace depositd::aptrust {

/// A folder of the job's own, empty at first and gone with this.
class scratch_folder {
public:
  explicit scratch_folder(std::filesystem::path folder);
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder();

  /// Why there is none.
  const caf::error& failure() const {
    return failure_;
  }

  const std::filesystem::path& path() const {
    return folder_;
  }

private:
  const std::filesystem::path folder_;
  caf::error failure_;
};

/// What can only be given back once it was brought back; nothing if it can.
std::optional<outcome> refuse_cold(const order_work& x);

/// Not yet while the working folder's disk has no room for so many bytes,
/// failed if it never has; nothing if it has.
std::optional<outcome> wait_for_room(const order_work& x, std::uint64_t bytes);

/// Writes the file to a path that is not there yet, out of the first copy that
/// is whole. `ec::store_damaged`: no copy is; `ec::store_failed`: a copy could
/// not be read now.
caf::error fetch_whole(const order_work& x, const stored_file& file,
                       const std::filesystem::path& to);

/// The object as the name of a file, which no other object of its owner has.
/// OWNER/NAME, as bags are called, is NAME; what is called otherwise, or has
/// letters that are not for file names, ends with a digest of all of it.
std::string name_of_object(const inventory_object& object);

/// Puts the file where the depositor finds it and records that.
outcome give_back(order_work& x, const std::string& name,
                  const std::filesystem::path& file);

} // namespace depositd::aptrust

// One file of an object.

#include "adapters/processing/aptrust/restoring/giving_back.hpp"
#include "adapters/processing/aptrust/restoring/restoring.hpp"

namespace depositd::aptrust {

outcome restore_file(order_work& x) {
  using merritt::ended;
  if (auto refused = refuse_cold(x))
    return *refused;
  const auto files = files_of(x);
  if (!files)
    return ended(files.error(), verdict::failed, "the inventory");
  const auto file = find_file(*files, x.order.file);
  if (!file)
    return ended(verdict::rejected, merritt::in_quotes(x.object.identifier)
                                      + " has no file "
                                      + merritt::in_quotes(x.order.file));
  if (auto waiting = wait_for_room(x, file->bytes))
    return *waiting;
  const scratch_folder scratch{x.job.folder.root / "restoring"};
  if (scratch.failure())
    return ended(verdict::retry, depositd::render(scratch.failure()));
  const auto copy = scratch.path() / "file";
  if (const auto failure = fetch_whole(x, *file, copy))
    return ended(failure, verdict::failed, merritt::in_quotes(file->path));
  return give_back(x, name_of_object(x.object) + "/" + file->path,
                   copy);
}

} // namespace depositd::aptrust

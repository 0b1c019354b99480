#include "config/kept_work.hpp"

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/objects/object_copy.hpp"

#include <utility>

namespace depositd {

namespace {

namespace fs = std::filesystem;

/// Everything that a copy needs, and what it is known by.
struct kept_places {
  fs::path data;
  fs::path objects; ///< empty: all are elsewhere, and stay there
  std::shared_ptr<depositd::inventory> inventory;
  std::shared_ptr<depositd::minter> minter;
  std::shared_ptr<ocfl::copy_gate> gate;
};

/// What was agreed on about the store. Not `work.id`: a copy is another store,
/// which must not take the working folder of an engine that still runs.
constexpr const char* facts_name = "store.facts";

class data_folder_copy final : public work_copy {
public:
  data_folder_copy(std::shared_ptr<const kept_places> from, fs::path to)
    : from_(std::move(from)), to_(std::move(to)) {
    // nop
  }

  ~data_folder_copy() override {
    if (holds_)
      from_->gate->end();
  }

  caf::error hold() override {
    if (auto failure = from_->gate->hold())
      return failure;
    holds_ = true;
    return {};
  }

  caf::error copy_catalogue() override {
    auto failure = from_->inventory->backup(to_);
    from_->gate->let_go();
    if (failure)
      return failure;
    // Later than all that may have been given: one that nobody uses does no
    // harm, one that is given twice does.
    if (auto wrong = make_folders(system_disk(), to_ / "minter"))
      return wrong;
    if (auto wrong = from_->minter->backup(to_ / "minter"))
      return wrong;
    return copy_facts();
  }

  caf::error copy_objects() override {
    caf::error failure;
    if (!from_->objects.empty())
      failure = ocfl::copy_objects(system_disk(), from_->objects,
                                   to_ / "objects", *from_->gate);
    holds_ = false;
    from_->gate->end();
    return failure;
  }

private:
  caf::error copy_facts() const {
    const auto text = read_file(from_->data / facts_name);
    if (!text)
      return text.error() == ec::not_found ? caf::error{} : text.error();
    return replace_file(system_disk(), to_ / facts_name, *text);
  }

  const std::shared_ptr<const kept_places> from_;
  const fs::path to_;
  bool holds_ = false;
};

/// Those of `local` are, unless it has another place now and never had its own.
bool has_own_objects(const depositd_settings& settings) {
  const auto local = settings.storage.find("local");
  const bool elsewhere =
    local != settings.storage.end()
    && (local->second.kind == storage_kind::s3 || !local->second.path.empty());
  std::error_code unknown;
  return !elsewhere || fs::exists(own_objects_of(settings), unknown);
}

} // namespace

fs::path own_objects_of(const depositd_settings& settings) {
  return settings.data.folder / "objects";
}

fs::path mount_notes_of(const depositd_settings& settings) {
  return settings.data.folder / "mounts";
}

begin_work_copy work_copies_of(const depositd_settings& settings,
                               const stages::stage_tools& tools,
                               std::shared_ptr<ocfl::copy_gate> gate) {
  if (settings.store.kind != store_kind::embedded)
    return nullptr;
  const auto objects =
    has_own_objects(settings) ? own_objects_of(settings) : fs::path{};
  const auto from = std::make_shared<const kept_places>(
    kept_places{settings.data.folder, objects, tools.inventory, tools.minter,
                std::move(gate)});
  return [from](const fs::path& to) {
    return std::make_shared<data_folder_copy>(from, to);
  };
}

} // namespace depositd

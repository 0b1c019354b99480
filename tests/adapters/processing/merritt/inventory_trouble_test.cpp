// Which object it is, while the inventory cannot say.

#include "tests/adapters/processing/merritt/stage_world.hpp"

namespace depositd::merritt {

namespace {

/// Answers every question but one.
class troubled_inventory final : public memory_inventory {
public:
  enum class question { none, lock, of_local_id, find, bind };

  caf::expected<bool> lock(const object_lock& x, micros now) override {
    if (fails == question::lock)
      return away();
    return memory_inventory::lock(x, now);
  }

  caf::expected<std::optional<std::string>>
  of_local_id(const std::string& owner, const std::string& local_id) override {
    if (fails == question::of_local_id)
      return away();
    return memory_inventory::of_local_id(owner, local_id);
  }

  caf::expected<std::vector<inventory_object>>
  find(const inventory_search& x) override {
    if (fails == question::find)
      return away();
    return memory_inventory::find(x);
  }

  caf::error bind_local_id(const std::string& owner,
                           const std::string& local_id,
                           const std::string& identifier) override {
    if (fails == question::bind)
      return away();
    return memory_inventory::bind_local_id(owner, local_id, identifier);
  }

  question fails = question::none;

private:
  static caf::error away() {
    return caf::make_error(ec::store_failed, "nobody answers");
  }
};

class inventory_trouble : public testing::stage_world {
protected:
  using question = troubled_inventory::question;

  inventory_trouble() {
    tools.inventory = troubled;
    start();
  }

  std::shared_ptr<troubled_inventory> troubled =
    std::make_shared<troubled_inventory>();
};

} // namespace

TEST_F(inventory_trouble, is_waited_for_by_who_asks_which_object_it_is) {
  auto job = downloaded({{"a.txt", "A"}});
  job.what.identifier = "ark:/99999/fk4given";
  job.what.local_ids = {"doi:1", "doi:2"};
  for (const auto which : {question::lock, question::of_local_id,
                           question::find, question::bind}) {
    troubled->fails = which;
    const auto ending = run("process", job);
    EXPECT_EQ(ending.says, verdict::retry) << static_cast<int>(which);
    EXPECT_NE(ending.reason.find("nobody answers"), std::string::npos)
      << static_cast<int>(which) << ": " << ending.reason;
  }
  troubled->fails = question::none;
  EXPECT_EQ(run_all(job, {"process"}), "");
}

} // namespace depositd::merritt

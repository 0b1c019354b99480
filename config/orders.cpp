#include "config/orders.hpp"

#include "actors/operators/order_desk.hpp"
#include "actors/operators/reconciler.hpp"
#include "adapters/stores/restoration/folder_restoration.hpp"
#include "adapters/stores/restoration/s3_restoration.hpp"
#include "config/kept_work.hpp"
#include "config/shared_services.hpp"
#include "messages/shard.hpp"
#include "messages/work.hpp"

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <map>
#include <utility>

namespace depositd {

namespace {

constexpr std::chrono::seconds patience{60};

/// Each user's own place, or that of all others.
class places_of_users final : public restoration_target {
public:
  using place = std::shared_ptr<restoration_target>;

  explicit places_of_users(std::map<std::string, place> places)
    : places_(std::move(places)) {
    // nop
  }

  caf::expected<std::string> put(const std::string& user,
                                 const std::string& name,
                                 const std::filesystem::path& file) override {
    auto at = places_.find(user);
    if (at == places_.end())
      at = places_.find("default");
    if (at == places_.end())
      return caf::make_error(ec::not_found,
                             "no restoration target is set for " + user);
    return at->second->put(user, name, file);
  }

private:
  const std::map<std::string, place> places_;
};

caf::expected<std::unique_ptr<restoration_target>>
open_place(const depositd_settings& settings, const std::string& name,
           const storage_settings& x, const work_cut_ptr& cut,
           stages::stage_tools& tools) {
  if (x.kind == storage_kind::s3)
    return open_s3_restoration(
      watched_bucket("restoration." + name, x.s3, cut, tools));
  if (x.path.empty())
    return open_folder_restoration(
      {.folder = settings.data.folder / "restored"});
  return open_folder_restoration(
    {.folder = x.path,
     .note = mount_notes_of(settings) / ("restoration." + name)});
}

/// Waits for an answer on a thread that may block.
template <class Answer, class Message, class F>
caf::error ask(caf::actor_system& system, const shards_actor& shards,
               Message what, F use) {
  caf::error out;
  caf::scoped_actor self{system};
  self->request(shards, patience, std::move(what))
    .receive([&](const Answer& said) { use(said); },
             [&](const caf::error& why) {
               out = why == caf::sec::request_timeout ? caf::make_error(
                       ec::overloaded, std::string{"the shard does not answer"})
                                                      : why;
             });
  return out;
}

std::vector<reconciler_settings>
all_reconcilers(const depositd_settings& settings) {
  std::vector<reconciler_settings> out;
  for (const auto& [name, one] : settings.reconcilers)
    out.push_back(one);
  return out;
}

} // namespace

caf::error open_orders(const depositd_settings& settings,
                       const work_cut_ptr& cut, stages::stage_tools& out) {
  std::map<std::string, std::shared_ptr<restoration_target>> places;
  for (const auto& [name, place] : settings.restoration) {
    auto opened = open_place(settings, name, place, cut, out);
    if (!opened)
      return caf::make_error(
        ec::bad_setting,
        "restoration." + name
          + (place.kind == storage_kind::s3 ? ".bucket: " : ".path: ")
          + render(opened.error()));
    places[name] = std::move(*opened);
  }
  out.restoration = std::make_shared<places_of_users>(std::move(places));
  for (const auto& [name, target] : settings.storage)
    if (target.cold)
      out.cold_storage.push_back(name);
  out.restoring.fixity_age_us =
    micros{settings.orders.fixity_age_days} * 86'400 * 1'000'000;
  out.restoring.recalled_days = settings.orders.recalled_days;
  return {};
}

std::function<caf::expected<item_id>(submit_batch)>
submitter_to(caf::actor_system& system, const shards_actor& shards) {
  return [&system, shards](submit_batch x) -> caf::expected<item_id> {
    item_id out = 0;
    auto failed =
      ask<batch_accepted>(system, shards, std::move(x),
                          [&](const batch_accepted& said) { out = said.id; });
    if (failed)
      return failed;
    return out;
  };
}

order_actors spawn_orders(caf::actor_system& system,
                          const depositd_settings& settings,
                          const stages::stage_tools& with,
                          const shards_actor& shards,
                          const catalogue_actor& catalogue,
                          const std::function<bool()>& leads) {
  order_actors out;
  out.desk = system.spawn(
    operators::order_desk,
    operators::order_desk_options{.shard = shards,
                                  .catalogue = catalogue,
                                  .cold_storage = with.cold_storage});
  operators::reconciler_options options;
  options.all = all_reconcilers(settings);
  options.shard = shards;
  options.checks = {with.inventory, with.inventory->checks()};
  options.work = with.work;
  options.cold_storage = with.cold_storage;
  options.submit = with.submit;
  options.propose = [&system, shards](std::vector<event> changes) {
    return ask<done>(system, shards, propose{std::move(changes)},
                     [](const done&) {});
  };
  options.leads = leads;
  out.due =
    system.spawn<caf::detached>(operators::reconciler, std::move(options));
  return out;
}

} // namespace depositd

#pragma once

// The doors of an engine that are not actors: HTTP and the drop folder.

#include "adapters/doors/kit/certificate_life.hpp"
#include "adapters/doors/kit/client_audit.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "adapters/doors/nsq/topic_makers.hpp"
#include "adapters/doors/nsq/wellbeing.hpp"
#include "adapters/doors/operations/metrics.hpp"
#include "config/descriptors.hpp"
#include "config/settings.hpp"
#include "config/stores.hpp"
#include "messages/actors.hpp"
#include "messages/values/memory_budget.hpp"

#include <caf/actor_system.hpp>

#include <functional>
#include <memory>
#include <string>

namespace depositd {

struct doors_options {
  const depositd_settings& settings;
  stores& durable;
  shards_actor shard;
  read_model_actor projector;
  order_desk_actor orders;
  admin_actor admin; ///< for the port of operators
  handler_actor handler;
  std::function<bool()> kafka_waits; ///< null: no Kafka
  descriptor_shares shares;
  std::shared_ptr<memory_budget> memory; ///< of all doors and the engine
  metrics_options metrics;               ///< but for what doors count
  /// The node port's; null: it has none.
  std::shared_ptr<const kit::certificate_life> node_certificate;
  /// What NSQ's doors have heard of the store.
  std::shared_ptr<nsq::wellbeing> nsq_health =
    std::make_shared<nsq::wellbeing>();
  /// Of what is made through NSQ's doors.
  std::shared_ptr<nsq::topic_makers> nsq_makers =
    std::make_shared<nsq::topic_makers>(settings.nsq.limits.made_per_user_max);
  std::shared_ptr<kit::request_quotas> quotas =
    std::make_shared<kit::request_quotas>();
  std::shared_ptr<kit::client_audit> audit =
    std::make_shared<kit::client_audit>();
};

class doors {
public:
  /// `ec::bad_setting` names the key whose address cannot be listened at.
  static caf::expected<std::unique_ptr<doors>> open(caf::actor_system& system,
                                                    doors_options options);

  ~doors();

  const std::string& http_address() const;
  const std::string& admin_address() const;

  /// Of NSQ's TCP door; empty while it is closed.
  std::string nsq_address() const;

  /// Of NSQ's HTTP door; empty while it is closed.
  std::string nsq_http_address() const;

  /// Reads certificates and their keys again, and takes those that fit
  /// together; with `changed_only` where a file has changed since. One thread.
  void reload(bool changed_only);

  /// Takes nothing new; returns when no door thread runs any more.
  void close();

private:
  struct parts;
  explicit doors(std::unique_ptr<parts> x);
  std::unique_ptr<parts> parts_;
};

} // namespace depositd

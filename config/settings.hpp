#pragma once

// Everything that can be configured, with its defaults. What each key means is
// said once, in config/defaults/depositd.yaml; the fields here carry its name.

#include "config/aptrust_values.hpp"
#include "config/given_settings.hpp"
#include "config/log_settings.hpp"
#include "config/nsq_settings.hpp"
#include "config/place_settings.hpp"
#include "config/storage_values.hpp"
#include "messages/values/endpoint.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/estimates.hpp"
#include "messages/values/scheduling.hpp"
#include "messages/values/sources.hpp"
#include "messages/values/types.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace depositd {

enum class store_kind : std::uint8_t { embedded, postgres, memory };

struct data_settings {
  std::filesystem::path folder = "./depositd-data";

  friend bool operator==(const data_settings&, const data_settings&) = default;
};

struct store_settings {
  store_kind kind = store_kind::embedded;
  std::string url; ///< postgres only; with its password
  std::string url_file;
  std::string password_file;
  std::string password;          ///< from the file
  std::uint32_t segment_mb = 64; ///< size of one journal file

  friend bool operator==(const store_settings&,
                         const store_settings&) = default;
};

/// Files in PEM form. Empty: no TLS.
struct tls_settings {
  std::string certificate;
  std::string key;
  std::string ca; ///< whose client certificates are accepted; node port only

  bool configured() const {
    return !certificate.empty();
  }

  friend bool operator==(const tls_settings&, const tls_settings&) = default;
};

/// How users and message queues are spread over engines.
struct shard_settings {
  std::uint32_t count = 1; ///< the same for ever
  std::uint32_t lease_ms = 15'000;

  friend bool operator==(const shard_settings&, const shard_settings&)
    = default;
};

struct http_settings {
  endpoint listen{"127.0.0.1", 8080};
  tls_settings tls;
  std::uint32_t connections_max = 2'000;
  std::uint32_t connections_per_address_max = 1'000;
  std::vector<std::string> trusted_proxies; ///< addresses and networks
  std::uint32_t idle_timeout_s = 30; ///< then a silent connection is closed

  friend bool operator==(const http_settings&, const http_settings&) = default;
};

struct admin_settings {
  endpoint listen{"127.0.0.1", 8081};
  tls_settings tls;
  std::uint32_t session_hours = 12; ///< then operators log in again

  friend bool operator==(const admin_settings&,
                         const admin_settings&) = default;
};

/// Of connections at the node port.
struct node_limits_settings {
  std::uint32_t connections_max = 2'000; ///< that have shaken hands
  std::uint32_t connections_per_address_max = 256;
  std::uint32_t unfinished_max = 512; ///< that have not
  std::uint32_t unfinished_per_address_max = 32;
  std::uint32_t handshake_s = 10; ///< then an unfinished one is closed

  friend bool operator==(const node_limits_settings&,
                         const node_limits_settings&) = default;
};

struct node_settings {
  endpoint listen{"127.0.0.1", 4747};
  std::string advertise; ///< "host:port"; empty: `listen`, as bound
  std::string name; ///< empty: made of host and process
  tls_settings tls;
  node_limits_settings limits;

  friend bool operator==(const node_settings&, const node_settings&) = default;
};

struct operators_settings {
  /// Names of certificates that may administer, beside the engine's own.
  std::vector<std::string> administrators;

  friend bool operator==(const operators_settings&,
                         const operators_settings&) = default;
};

struct processor_settings {
  std::uint32_t count = 16;          ///< slots per deposit queue
  bool count_given = false;          ///< somebody said so
  std::uint32_t inject_delay_ms = 0; ///< > 0: only wait, for trials
  std::uint32_t least_ms = 0; ///< a deposit takes so long at least, for demos

  /// The same values, whoever said so.
  friend bool operator==(const processor_settings& x,
                         const processor_settings& y) {
    return x.count == y.count && x.inject_delay_ms == y.inject_delay_ms
           && x.least_ms == y.least_ms;
  }
};

struct emodb_settings {
  bool anonymous = false; ///< requests without an API key are served
  std::uint32_t message_bytes_max = 30'720; ///< of compact JSON
  std::uint32_t claims_max = 20'000;        ///< of a queue
  std::uint32_t requests_per_second = 0;    ///< of a key; 0: no limit
  std::uint32_t body_limit_mb = 64;         ///< of a request
  std::uint32_t queues_per_key_max = 500;   ///< that come with its first use
  std::uint32_t queue_idle_days = 30; ///< then such a queue goes; 0: never
  std::uint32_t wait_max_s = 20;      ///< that a poll may ask for; 0: none

  friend bool operator==(const emodb_settings&,
                         const emodb_settings&) = default;
};

struct drop_folder_settings {
  std::string path; ///< empty: no drop folder
  std::uint32_t poll_interval_ms = 1'000;

  friend bool operator==(const drop_folder_settings&,
                         const drop_folder_settings&) = default;
};

struct sasl_settings {
  std::string mechanism; ///< PLAIN, SCRAM-SHA-256, ...; empty: none
  std::string user;
  std::string password_file;

  friend bool operator==(const sasl_settings&, const sasl_settings&) = default;
};

struct kafka_settings {
  std::string brokers;
  std::string ingress_topic = "deposits.in";
  std::string egress_topic = "deposits.out";
  std::string dead_letter_topic = "deposits.dead";
  std::string jobs_topic;       ///< where jobs and batches end; empty: none
  std::uint32_t partitions = 8; ///< of topics that `kafka init` makes
  bool renew = false; ///< topics and brokers hold from now on for this store
  tls_settings tls;             ///< `ca` alone is enough for TLS
  std::string key_password_file;
  std::string key_password; ///< from the file
  sasl_settings sasl;
  std::vector<std::string> options; ///< "name=value" for librdkafka

  friend bool operator==(const kafka_settings&,
                         const kafka_settings&) = default;
};

struct crossref_settings {
  std::string schema_folder; ///< empty: deposits are not checked by schema
  std::uint32_t body_limit_mb = 10;
  std::uint32_t retry_after_s = 60; ///< told to users over their limit
  /// Of deposits with one file name, polls tell of the newest, not the first.
  bool newest_first = false;
  std::string public_url; ///< of the doors, for callbacks; empty: http.listen

  friend bool operator==(const crossref_settings&,
                         const crossref_settings&) = default;
};

struct pipelines_settings {
  std::string folder; ///< empty: the pipelines that the program brings along

  friend bool operator==(const pipelines_settings&,
                         const pipelines_settings&) = default;
};

/// Where jobs have their files while they are worked on.
struct work_settings {
  std::string folder;              ///< empty: DATA/work
  std::uint32_t free_min_mb = 512; ///< of its disk, that jobs leave free

  friend bool operator==(const work_settings&, const work_settings&) = default;
};

enum class blobs_kind : std::uint8_t { as_store, folder, postgres, s3 };

/// Where large bodies are.
struct blobs_settings {
  blobs_kind kind = blobs_kind::as_store;
  std::string path; ///< folder; embedded without one: DATA/blobs
  s3_settings s3;

  friend bool operator==(const blobs_settings&,
                         const blobs_settings&) = default;
};

enum class mail_tls : std::uint8_t { none, starttls, smtps };

struct mail_settings {
  std::string smtp; ///< HOST:PORT; empty: no mail is sent
  std::string from;
  mail_tls tls = mail_tls::none;
  std::string ca;   ///< file of the authority of the relay; empty: the system's
  std::string user; ///< to log in with; empty: no login
  std::string password_file;
  std::string password;                 ///< of the file
  std::vector<std::string> reports_bcc; ///< get a copy of each batch report

  friend bool operator==(const mail_settings&, const mail_settings&) = default;
};

/// Who is told that jobs need somebody to look at them.
struct review_settings {
  std::vector<std::string> mail_to;
  std::string webhook; ///< URL; empty: none is called
  std::string webhook_key_file;
  std::string webhook_key;        ///< of its signature
  std::uint32_t interval_s = 900; ///< each cause at most once
  std::uint32_t stage_age_s = 0;  ///< of jobs that are told; 0: none are

  friend bool operator==(const review_settings&,
                         const review_settings&) = default;
};

struct fetch_settings {
  /// That may be fetched from though their addresses are private.
  std::vector<endpoint> allow;
  /// Bytes/s below which a source is left, after a while, for another time.
  std::uint32_t rate_min = 1'024;

  friend bool operator==(const fetch_settings&,
                         const fetch_settings&) = default;
};

enum class minter_kind : std::uint8_t { local, http };

struct minter_settings {
  minter_kind kind = minter_kind::local;
  std::string url; ///< http: of the shoulder

  friend bool operator==(const minter_settings&,
                         const minter_settings&) = default;
};

/// How much later jobs come because of their size.
struct estimate_settings {
  std::uint32_t unknown_penalty = 10;
  std::vector<size_penalty> sizes;

  friend bool operator==(const estimate_settings& x,
                         const estimate_settings& y) {
    const auto same = [](const size_penalty& a, const size_penalty& b) {
      return a.bytes_min == b.bytes_min && a.penalty == b.penalty;
    };
    return x.unknown_penalty == y.unknown_penalty
           && std::equal(x.sizes.begin(), x.sizes.end(), y.sizes.begin(),
                         y.sizes.end(), same);
  }
};

/// Merritt's submission door.
struct poster_settings {
  std::uint32_t body_limit_mb = 64; ///< of a form with its files

  friend bool operator==(const poster_settings&,
                         const poster_settings&) = default;
};

struct memory_settings {
  std::uint32_t budget_mb = 0; ///< 0: what the machine allows
  std::uint32_t body_budget_mb = 256;

  friend bool operator==(const memory_settings&,
                         const memory_settings&) = default;
};

struct retention_settings {
  std::uint32_t submissions_days = 30;

  friend bool operator==(const retention_settings&,
                         const retention_settings&) = default;
};

struct audit_settings {
  std::string file; ///< a folder, "none", or empty: DATA/audit if that is used
  std::uint32_t retention_days = 400;

  friend bool operator==(const audit_settings&,
                         const audit_settings&) = default;
};

struct shutdown_settings {
  std::uint32_t drain_ms = 10'000; ///< for claims inside the engine to end

  friend bool operator==(const shutdown_settings&,
                         const shutdown_settings&) = default;
};

struct thread_settings {
  bool one_loop = false; ///< sockets, actors and small groups on one thread

  friend bool operator==(const thread_settings&,
                         const thread_settings&) = default;
};

struct depositd_settings {
  data_settings data;
  store_settings store;
  blobs_settings blobs;
  shard_settings shards;
  http_settings http;
  admin_settings admin;
  node_settings node;
  operators_settings operators;
  /// Always contains `metadata` and `query`.
  std::map<std::string, queue_settings> queues{
    {"metadata", deposit_queue_defaults()},
    {"query", deposit_queue_defaults()}};
  std::map<std::string, fair_by> fairness; ///< of queues not fair by turns
  std::map<std::string, source_settings> sources;       ///< by name
  std::map<std::string, scheduler_settings> schedulers; ///< by name
  processor_settings processors;
  std::vector<std::string> prohibited_users;
  emodb_settings emodb;
  nsq_settings nsq;
  drop_folder_settings drop_folder;
  kafka_settings kafka;
  crossref_settings crossref;
  pipelines_settings pipelines;
  work_settings work;
  /// By name; always contains `local`.
  std::map<std::string, storage_settings> storage{{"local", {}}};
  mail_settings mail;
  review_settings reviews;
  fetch_settings fetch;
  minter_settings minter;
  estimate_settings estimate;
  /// Where depositors get back what they ask for, by user; `default` for all
  /// others, whose folder without a path is DATA/restored.
  std::map<std::string, storage_settings> restoration{{"default", {}}};
  order_settings orders;
  /// By name; always contains `deletions`.
  std::map<std::string, reconciler_settings> reconcilers{
    {"deletions", missed_deletions()}};

  aptrust_settings aptrust;
  poster_settings poster;
  memory_settings memory;
  retention_settings retention;
  log_settings log;
  trace_settings trace;
  audit_settings audit;
  shutdown_settings shutdown;
  thread_settings threads;
  std::vector<std::string> remarks; ///< for people, about these settings
  given_words given;                ///< that they were made of

  friend bool operator==(const depositd_settings&,
                         const depositd_settings&) = default;
};

/// Values of a YAML text in its order. `name` is for messages.
/// `ec::bad_setting` with name and line if it is no such text.
caf::expected<std::vector<given_setting>> read_yaml(const std::string& text,
                                                    const std::string& name);

/// Defaults, overridden by `given` in order; a later value of a key wins.
/// `ec::bad_setting` names key and origin of the first value that is wrong.
caf::expected<depositd_settings>
make_settings(const std::vector<given_setting>& given);

/// Every key that `make_settings` knows; `queues.NAME.kind` for queues,
/// `storage.NAME.kind` for storage.
std::vector<std::string> setting_keys();

} // namespace depositd

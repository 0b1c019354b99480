#include "adapters/stores/postgres/postgres_projection_store.hpp"

#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/postgres/record_statements.hpp"
#include "adapters/stores/postgres/shard_tables.hpp"
#include "adapters/stores/postgres/statements.hpp"
#include "adapters/stores/postgres/work_statements.hpp"
#include "adapters/stores/rows/lost_numbers.hpp"
#include "adapters/stores/rows/table_projection.hpp"
#include "messages/values/sharding.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace depositd {

namespace {

using namespace postgres;
using rows::watermarks;

using projection_tables =
  rows::projection_tables<shard_tables,
                          rows::item_table<shard_tables, statements::items>,
                          statements::keyed, submission_documents,
                          statements::work, statements::records>;

std::uint64_t checksum_of(const watermarks& x) {
  return rows::checked_rows<watermarks>{}.checksum_of(x);
}

/// The tables of a shard on a server that may go and come back.
class projection_server {
public:
  explicit projection_server(const postgres_projection_options& options)
    : options_(options), shard_(options.server.shard),
      to_(std::make_unique<channel>(
        connection_options{.url = options.server.url, .name = "projection"},
        options.server.patience_ms)) {
    // nop
  }

  auto read(const auto& body) {
    return to_->repeatable([&](connection& from) {
      shard_tables shard{from, shard_};
      projection_tables tables{shard};
      return body(tables);
    });
  }

  template <class Body>
  caf::error load(const Body& body) {
    return to_->once([&](connection& from) -> caf::error {
      shard_tables shard{from, shard_};
      projection_tables tables{shard};
      return body(tables);
    });
  }

  /// What is written outside of slices does nothing the second time, and is
  /// refused to who has lost the shard.
  auto write(const auto& body) {
    return to_->repeatable([&](connection& to) {
      return to.transact([&] {
        shard_tables shard{to, shard_};
        projection_tables tables{shard};
        using written = decltype(body(tables));
        auto error = hold_epoch(to);
        return error ? written{std::move(error)} : body(tables);
      });
    });
  }

  /// The highest id is one that may have been given, also where the server is
  /// behind one that it took over from.
  caf::error load_watermarks(watermarks& out);
  caf::expected<slice_applied> apply(const slice& x, watermarks& reached);

  /// Finds out what became of a slice of which nobody knows. An error if it has
  /// come in: whoever has begun before it begins again.
  caf::error settle(watermarks& reached);

  /// Each slice is, and with that flushed.
  static caf::error commit(watermarks&) {
    return {};
  }

  static void roll_back(watermarks&) {
    // nop
  }

  static caf::error flush() {
    return {};
  }

  static caf::error backup(const std::filesystem::path&) {
    return caf::make_error(ec::store_failed,
                           "the store is in PostgreSQL: back it up with its "
                           "own tools, pg_dump or pg_basebackup");
  }

private:
  caf::error read_watermarks(connection& to, watermarks& out) const;
  caf::error pass_over_lost(connection& to, watermarks& out) const;
  caf::error hold_epoch(connection& to) const;
  caf::error move_watermarks(connection& to, const watermarks& from,
                             const watermarks& now);
  caf::error write(connection& to, const slice& x, const watermarks& reached,
                   watermarks& now, slice_applied& out);

  /// After the connection was lost: whether the slice is in the tables.
  caf::expected<bool> arrived(const watermarks& now);

  postgres_projection_options options_;
  std::uint32_t shard_;
  std::unique_ptr<channel> to_;
  /// Marks of a slice whose commit nobody confirmed, if nobody could ask since.
  std::optional<watermarks> doubt_;
};

caf::error projection_server::load_watermarks(watermarks& out) {
  return to_->once([&](connection& to) -> caf::error {
    if (auto error = migrate(to))
      return error;
    if (auto error = read_watermarks(to, out))
      return error;
    return pass_over_lost(to, out);
  });
}

caf::error projection_server::read_watermarks(connection& to,
                                              watermarks& out) const {
  if (auto error = to.execute(statements::first_marks,
                              parameters{shard_, checksum_of(watermarks{})}))
    return error;
  auto is_there = false;
  auto failed =
    to.each(statements::marks, parameters{shard_},
            [&](const auto& from) -> caf::error {
              is_there = true;
              rows::checked_rows<watermarks> all;
              const auto read = all.read(from, out);
              return read ? caf::error{} : read.error();
            });
  return failed || is_there
           ? failed
           : to.damaged("projection_marks has no row for shard "
                        + std::to_string(shard_));
}

// Workers outside go on with what they were handed out before: what they say
// of it must be of nothing that came later.
caf::error projection_server::pass_over_lost(connection& to,
                                             watermarks& out) const {
  const auto took_over = to.run(statements::took_over, parameters{shard_});
  if (!took_over) // what only speaks as PostgreSQL does may know no histories
    return to.lost() ? took_over.error() : caf::error{};
  if (took_over->rows() == 0 || took_over->number(0, 0) == 0)
    return {};
  out.id_max =
    std::max(out.id_max, ids_begin(shard_)) + rows::lost_numbers_max;
  spdlog::info("numbers_left_out shard={} behind={} reason=\"the server has "
               "taken over from another, or was brought back, and may not "
               "know all that were given\"",
               shard_, out.id_max);
  return {};
}

caf::error projection_server::hold_epoch(connection& to) const {
  if (options_.epoch == 0)
    return {};
  const auto owner =
    to.run(statements::hold_epoch, parameters{shard_, options_.epoch});
  if (!owner)
    return owner.error();
  return owner->rows() == 1
           ? caf::error{}
           : caf::make_error(ec::fenced, "another engine has shard "
                                           + std::to_string(shard_));
}

caf::error projection_server::move_watermarks(connection& to,
                                              const watermarks& from,
                                              const watermarks& now) {
  const auto done = rows::with_values(now, [&](const auto&... values) {
    return to.run(
      statements::move_watermarks,
      parameters{shard_, from.reached, values..., checksum_of(now)});
  });
  if (!done)
    return done.error();
  return done->changed() == 1
           ? caf::error{}
           : to.damaged("somebody else has moved the projection of shard "
                        + std::to_string(shard_));
}

caf::error projection_server::write(connection& to, const slice& x,
                                    const watermarks& reached, watermarks& now,
                                    slice_applied& out) {
  if (auto error = hold_epoch(to))
    return error;
  shard_tables shard{to, shard_};
  projection_tables tables{shard};
  if (auto error = rows::write_slice(tables, x, now, out))
    return error;
  return move_watermarks(to, reached, now);
}

caf::expected<bool> projection_server::arrived(const watermarks& now) {
  return to_->repeatable([&](connection& from) -> caf::expected<bool> {
    const auto found = from.run(statements::marks_settled, parameters{shard_});
    if (!found)
      return found.error();
    return found->rows() == 1 && found->number(0, 0) == now.reached
           && found->number(0, 1) == checksum_of(now);
  });
}

caf::error projection_server::settle(watermarks& reached) {
  if (!doubt_)
    return {};
  const auto there = arrived(*doubt_);
  if (!there)
    return there.error();
  const auto now = *std::exchange(doubt_, std::nullopt);
  if (!*there)
    return {};
  reached = now;
  return caf::make_error(ec::store_failed,
                         "postgres: a slice that was in doubt has come in: the "
                         "tables of shard "
                           + std::to_string(shard_) + " are at sequence "
                           + std::to_string(now.reached));
}

caf::expected<slice_applied> projection_server::apply(const slice& x,
                                                      watermarks& reached) {
  constexpr auto attempts = 2;
  caf::error failed;
  for (auto attempt = 0; attempt < attempts; ++attempt) {
    slice_applied out;
    auto now = reached;
    bool lost = false;
    bool written = false; // but for the commit
    failed = to_->once([&](connection& to) {
      auto error = to.transact([&] {
        auto unwritten = write(to, x, reached, now, out);
        written = !unwritten;
        return unwritten;
      });
      lost = to.lost();
      return error;
    });
    if (failed && !lost)
      return failed;
    if (failed && !written)
      continue;
    if (failed) {
      const auto there = arrived(now);
      if (!there) {
        doubt_ = now;
        return there.error();
      }
      if (!*there)
        continue;
    }
    reached = now;
    return out;
  }
  return failed;
}

} // namespace

caf::expected<std::unique_ptr<projection_store>>
open_postgres_projection(const postgres_projection_options& options) {
  auto out = std::make_unique<rows::table_projection<projection_server>>(
    projection_server{options});
  if (auto error = out->load_watermarks())
    return error;
  return std::unique_ptr<projection_store>{std::move(out)};
}

} // namespace depositd

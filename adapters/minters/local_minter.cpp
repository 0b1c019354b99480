#include "adapters/minters/local_minter.hpp"

#include "adapters/minters/check_character.hpp"
#include "adapters/stores/sqlite/database.hpp"

#include <algorithm>
#include <mutex>

namespace depositd {

namespace {

constexpr const char* minter_file = "minter.db";
constexpr std::int32_t application = 0x6470646d; // "dpdm"
constexpr std::int32_t schema_version = 1;
constexpr std::uint64_t wal_bytes_max = 1024 * 1024;
constexpr std::size_t letters_min = 6;
constexpr std::size_t key_bytes_max = 1'024;
/// Behind the last that is known: others were given to jobs that have stored
/// nothing yet, to objects that were deleted, or since a copy was made.
constexpr std::uint64_t lost_max = 1'000'000;

/// The highest number that an object has; 0 if none has any.
caf::expected<std::uint64_t> last_known(const identifiers_after& known,
                                        const std::string& prefix) {
  std::uint64_t out = 0;
  auto after = prefix;
  for (bool any = true; any;) {
    any = false;
    const auto page = known(after);
    if (!page)
      return page.error();
    for (const auto& one : *page) {
      if (!one.starts_with(prefix) || one.size() == prefix.size())
        continue;
      any = true;
      const auto name = std::string_view{one}.substr(prefix.size());
      if (const auto number = minted_number(name.substr(0, name.size() - 1)))
        out = std::max(out, *number);
    }
    if (any)
      after = page->back();
  }
  return out;
}

constexpr std::string_view schema =
  "CREATE TABLE minted (number INTEGER PRIMARY KEY AUTOINCREMENT,"
  " request TEXT NOT NULL UNIQUE, identifier TEXT NOT NULL UNIQUE) STRICT;";

constexpr std::string_view find_key =
  "SELECT identifier FROM minted WHERE request = ?";

constexpr std::string_view find_last =
  "SELECT seq FROM sqlite_sequence WHERE name = 'minted'";

constexpr std::string_view insert =
  "INSERT INTO minted (number, request, identifier) VALUES (?, ?, ?)";

caf::expected<std::unique_ptr<sqlite::database>>
open_file_of(const std::filesystem::path& folder) {
  return sqlite::database::open(folder / minter_file,
                                {.name = "minter",
                                 .application = application,
                                 .version = schema_version,
                                 .schema = schema});
}

class local_minter final : public minter {
public:
  local_minter(std::unique_ptr<sqlite::database> file,
               const local_minter_options& options)
    : file_(std::move(file)), shoulder_(options.shoulder),
      known_(options.known), taken_(options.taken) {
    // nop
  }

  caf::expected<std::string> mint(const mint_request& x) override {
    if (x.key.empty() || x.key.size() > key_bytes_max)
      return caf::make_error(ec::invalid_argument,
                             "an identifier is minted for a key of 1 to 1024 "
                             "bytes");
    const std::lock_guard turn{mutex_};
    std::string out;
    auto failure = file_->transact([&] { return find_or_add(x.key, out); });
    if (!failure)
      failure = file_->checkpoint_if_due(wal_bytes_max);
    if (failure)
      return failure;
    return out;
  }

  caf::error backup(const std::filesystem::path& folder) override {
    const std::lock_guard turn{mutex_};
    if (auto failure = file_->copy_to(folder / minter_file))
      return failure;
    return leave_room(folder);
  }

private:
  std::string identifier_of(std::uint64_t number) const {
    const auto name = shoulder_ + minted_name(number, letters_min);
    return "ark:/" + name + check_character(name);
  }

  /// Objects may be where no copy has them, and go on after it.
  caf::error leave_room(const std::filesystem::path& copy) const {
    auto file = open_file_of(copy);
    if (!file)
      return std::move(file.error());
    return (*file)->transact([&]() -> caf::error {
      std::uint64_t last = 0;
      if (auto failure = (*file)->load(find_last, [&](const auto& row) {
            row.take(last);
            return caf::error{};
          }))
        return failure;
      last += lost_max;
      const auto why = "a copy goes on behind " + std::to_string(last);
      const auto nobodys = identifier_of(last);
      return (*file)->run(insert, last, std::string_view{why},
                          std::string_view{nobodys});
    });
  }

  caf::error find_or_add(const std::string& key, std::string& out) {
    if (auto failure = file_->each(
          find_key,
          [&](const auto& row) {
            row.take(out);
            return caf::error{};
          },
          std::string_view{key}))
      return failure;
    if (!out.empty())
      return {};
    std::uint64_t last = 0;
    if (auto failure = file_->load(find_last, [&](const auto& row) {
          row.take(last);
          return caf::error{};
        }))
      return failure;
    if (last == 0 && known_) {
      const auto known = last_known(known_, "ark:/" + shoulder_);
      if (!known)
        return known.error();
      last = *known > 0 ? *known + lost_max : 0;
    }
    const auto number = next_free(last + 1);
    if (!number)
      return number.error();
    out = identifier_of(*number);
    return file_->run(insert, *number, std::string_view{key},
                      std::string_view{out});
  }

  /// What comes next can be guessed, and depositors may name identifiers.
  caf::expected<std::uint64_t> next_free(std::uint64_t number) const {
    if (!taken_)
      return number;
    for (;; ++number) {
      const auto taken = taken_(identifier_of(number));
      if (!taken)
        return taken.error();
      if (!*taken)
        return number;
    }
  }

  std::mutex mutex_;
  std::unique_ptr<sqlite::database> file_;
  const std::string shoulder_;
  const identifiers_after known_;
  const identifier_taken taken_;
};

bool legal_shoulder(const std::string& x) {
  const auto slash = x.find('/');
  return slash != x.npos && slash >= 5 && slash <= 16 && slash + 1 < x.size()
         && x.size() <= 64 && x.find('/', slash + 1) == x.npos
         && std::all_of(x.begin(), x.end(), [](char c) {
              return c == '/' || minted_letters.find(c) != minted_letters.npos;
            });
}

} // namespace

caf::expected<std::unique_ptr<minter>>
open_local_minter(const local_minter_options& options) {
  if (!legal_shoulder(options.shoulder))
    return caf::make_error(ec::invalid_argument,
                           "\"" + options.shoulder.substr(0, 100)
                             + "\" is no authority and shoulder like "
                               "99999/fk4");
  auto file = open_file_of(options.folder);
  if (!file)
    return std::move(file.error());
  return std::make_unique<local_minter>(std::move(*file), options);
}

} // namespace depositd

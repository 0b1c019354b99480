#pragma once

// Orders: work on objects that are stored already. Each is a batch of the
// pipeline of its kind, whose one stage is called as APTrust's topic.

#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/types.hpp"
#include "messages/values/word_list.hpp"
#include "messages/values/work.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

enum class order_kind : std::uint8_t {
  restore_file,
  restore_object,
  restore_glacier, ///< out of storage that has to be asked for what it keeps
  delete_item,
  fixity_check,
};

template <>
inline constexpr word_list<order_kind, 5> words_of<order_kind> = {
  {{order_kind::restore_file, "restore_file"},
   {order_kind::restore_object, "restore_object"},
   {order_kind::restore_glacier, "restore_glacier"},
   {order_kind::delete_item, "delete_item"},
   {order_kind::fixity_check, "fixity_check"}}};

/// "aptrust_restore_object": the pipeline of all orders of the kind.
std::string order_pipeline(order_kind x);

/// A file of an object.
struct ordered_file {
  std::string object;
  std::string path;

  friend bool operator==(const ordered_file&, const ordered_file&) = default;
};

/// What is to be done, and who wants it.
struct preservation_order {
  order_kind kind = order_kind::restore_object;
  std::string object; ///< identifier; empty: of `files`
  std::string file;   ///< path inside it; empty: all of it
  std::string asked_by;
  std::string inst_approver;       ///< deletions: of the same institution
  std::string aptrust_approver;    ///< deletions of many: the administrator
  std::string deletion;            ///< reference of the request
  std::string follows;             ///< uuid of the order that brought it back
  bool anyway = false;             ///< fixity_check: however short ago the last
  std::vector<ordered_file> files; ///< fixity_check without an object

  friend bool operator==(const preservation_order&,
                         const preservation_order&) = default;
};

/// The member of `batch_document::more` and `job_document::more` that has it.
inline constexpr const char* order_member = "order";

void put_order(nlohmann::json& more, const preservation_order& x);

/// Nothing if there is none; `ec::malformed` if what there is is none.
caf::expected<std::optional<preservation_order>>
order_in(const nlohmann::json& more);

/// A batch for the order: its document, and what never changes of it.
struct new_order {
  batch_document document;
  batch_info info;
};

/// Whose it is, and where from.
struct order_sender {
  std::string uuid; ///< of the batch
  std::string user;
  std::string collection;
  std::string source;
  micros now_us = never;
};
new_order make_order(const preservation_order& x, const order_sender& from);

/// Whether something of the batch is still to be done, or may yet be.
bool is_unfinished(const batch_status& status, const job_counts& jobs);

/// Whether these two must not be there at one time: orders of one object or of
/// one of its files; of fixity checks only those among each other. An order
/// that follows from the other does not meet it.
bool orders_meet(const batch_info& is, const batch_info& wanted);

/// The kind of a batch that is an order; nothing of any other.
std::optional<order_kind> order_kind_of(const batch_info& x);

/// The uuid of the order that follows another: a restoration, once what it
/// needs was brought back. The same every time.
std::string next_order_uuid(const std::string& uuid);

/// A uuid that two who queue the same for the same time agree on.
std::string due_order_uuid(std::string_view reconciler, std::string_view user,
                           std::string_view what, std::int64_t slot);

/// Of the order that a request for deletion becomes; they are counted.
std::string deletion_order_uuid(const std::string& reference,
                                std::size_t target);

/// Whether one more approval is needed, by an administrator: of many at once.
bool needs_administrator(const deletion_changed& x);

/// Whether all who have to agree have, and nobody has rejected it.
bool is_approved(const deletion_changed& x);

/// Why the order, which is one of this user, must not be carried out, by what
/// is known of its request; empty: it may be.
std::string deletion_objection(const control_state& state,
                               const std::string& user,
                               const preservation_order& x);

/// Of an identifier or a path; longer ones are refused at the door.
inline constexpr std::size_t order_name_bytes_max = 1'024;

} // namespace depositd

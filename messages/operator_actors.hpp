#pragma once

// The map, continued: what operators say, and who does it.

#include "messages/message.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace depositd {

/// Stores an operator's file and submits it, or submits one again that is kept;
/// on a thread of its own, because blobs are files.
using submitter_actor =
  caf::typed_actor<caf::replies_to<struct submit_file>::with<struct enqueued>,
                   caf::replies_to<struct submit_again>::with<struct enqueued>>;

/// Reads the inventory for operators. Blocks.
using catalogue_actor = caf::typed_actor<
  caf::replies_to<struct find_checks>::with<struct checks_found>,
  caf::replies_to<struct search_objects>::with<struct objects_found>,
  caf::replies_to<struct find_object_files>::with<struct object_files_found>,
  caf::replies_to<struct find_premis>::with<struct premis_found>,
  caf::replies_to<struct measure_collections>::with<
    struct collections_measured>,
  caf::replies_to<struct measure_recorded>::with<struct recorded_measured>>;

/// Reads the audit log for operators. Blocks.
using auditor_actor = caf::typed_actor<
  caf::replies_to<struct audit_query>::with<struct audit_found>>;

/// Reads dead letters for operators, and sends them back. Blocks.
using letter_desk_actor = caf::typed_actor<
  caf::replies_to<struct find_letters>::with<struct letters_found>,
  caf::replies_to<struct read_letter>::with<struct letter_read>,
  caf::replies_to<struct replay_letters>::with<struct letters_replayed>>;

/// Takes orders about what is stored: finds the object and queues the work.
using order_desk_actor = caf::typed_actor<
  caf::replies_to<struct place_order>::with<struct order_placed>,
  caf::replies_to<struct ask_deletion>::with<struct deletion_asked>>;

/// Copies objects for a backup. Blocks, perhaps for hours.
using object_copier_actor =
  caf::typed_actor<caf::replies_to<struct copy_objects>::with<done>>;

/// Queues what is due, now and then and when it is asked to. Blocks.
using reconciler_actor =
  caf::typed_actor<caf::reacts_to<struct reconcile>,
                   caf::reacts_to<struct control_changed>,
                   caf::replies_to<struct queue_due>::with<struct due_queued>>;

/// Tells administrators of jobs that need them. Blocks.
using review_teller_actor =
  caf::typed_actor<caf::reacts_to<struct look_for_reviews>>;

/// Checks passwords of operators, one after the other, and not too many of
/// somebody who guesses. Blocks.
using password_checker_actor = caf::typed_actor<
  caf::replies_to<struct check_password>::with<struct password_checked>>;

/// Every operator command; published on the node's port. Who asks is known from
/// their connection, or has signed in over it; doors of this process say whom
/// they have let in.
using admin_actor = caf::typed_actor<
  caf::replies_to<struct admin_request>::with<struct admin_reply>,
  caf::replies_to<struct sign_in>::with<struct signed_in>,
  caf::replies_to<struct command_as>::with<struct admin_reply>,
  caf::replies_to<struct log_in>::with<struct logged_in>,
  caf::replies_to<struct know_token>::with<struct logged_in>,
  caf::replies_to<struct connect_native>::with<native_actor>,
  caf::replies_to<struct join_node>::with<struct node_joined>,
  caf::replies_to<struct meet_engine>::with<struct engine_met>>;

} // namespace depositd

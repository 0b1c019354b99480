#pragma once

// The one way into a shard. Whatever door it has come through, an item gets its
// number here, goes to its user, and is answered for when it is durable.

#include "actors/journal/command.hpp"
#include "actors/shard/parts.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace depositd::shard {

/// What comes in together: by user and queue, until it is sent to them.
class admission {
public:
  /// `beyond_limit`: somebody has accepted it already, so that the pending
  /// limit of its users is no reason to refuse it.
  explicit admission(shard_pointer self, bool beyond_limit = false);

  /// A message; gets its number, its position in the answer and, in queues that
  /// collapse equal payloads, its digest.
  void add(queue_number queue, const std::string& user, accept_items::one x);

  /// What is on its way to the user is durable, too, when this is answered.
  void await(queue_number queue, const std::string& user);

  /// A deposit with its particulars, and its body unless that is a blob. Says
  /// once what item and submission have in common. The digest is kept for when
  /// it comes again; 0: that is not asked.
  void add_deposit(queue_number queue, const std::string& user,
                   std::uint8_t priority, submission submission,
                   std::string_view body = {}, std::uint64_t digest = 0);

  /// A batch with its document.
  void add_batch(queue_number queue, const std::string& user,
                 std::uint8_t priority, batch_info info, std::string document);

  /// What the shard has to say itself goes into the same group.
  void note(event x);

  /// All of it is one group of the journal, and the watermark with it.
  void go_with(watermark x);

  /// What comes claimed is one user's, who may have so many claims.
  void keep_to(std::uint32_t claims_max);

  /// All of it is taken or none. It is one user's.
  void make_whole();

  /// Gives the numbers back, as if nothing had been added.
  void take_back();

  /// Sends everything on its way. When all of it is durable the current request
  /// is answered with what `answer` makes of the ids, of which those that a
  /// user has refused are zero, and why.
  template <class Answer, class F>
  caf::result<Answer> commit(F answer) {
    send(journal::take_reply(self_), [=](const enqueue_answer& ids) {
      caf::expected<Answer> out = answer(ids);
      return out ? caf::make_message(std::move(*out))
                 : caf::make_message(std::move(out.error()));
    });
    return journal::answered_later<Answer>();
  }

private:
  using answer_maker = std::function<caf::message(const enqueue_answer&)>;

  /// Of one user in one queue.
  struct part {
    std::string user;
    accept_items items;
    bool collapses = false;
  };

  part& part_of(queue_number queue, const std::string& user);
  void send_whole();
  void put(part& to, accept_items::one&& x);
  void send(reply_address where, answer_maker what);

  shard_pointer self_;
  bool beyond_limit_;
  bool whole_ = false;
  item_id id_last_; ///< before the first of ours
  std::deque<part> parts_;
  std::map<queue_number, std::unordered_map<std::string_view, part*>> index_;
  std::shared_ptr<enqueue_answer> ids_ = std::make_shared<enqueue_answer>();
  std::shared_ptr<append_bundle> bundle_;
  journal::command own_;
};

/// Under which payloads are equal; never 0.
std::uint64_t digest_of(std::string_view body);

/// What is wrong with whom an item is for and how urgent it is.
caf::error check_item(const std::string& user, std::uint8_t priority = 0);

} // namespace depositd::shard

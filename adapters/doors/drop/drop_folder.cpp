#include "adapters/doors/drop/drop_folder.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include <spdlog/spdlog.h>

#include <fcntl.h>

#include "messages/follow_control.hpp"
#include "messages/projection.hpp"
#include "messages/values/log_text.hpp"
#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"

namespace depositd::drop {

namespace {

using self_pointer = actor_with<drop_folder_state>*;

void take_next(self_pointer self, const std::string& user);

bool scanning(self_pointer self) {
  const auto& control = self->state.control;
  return control && control->server.drop_folder_polling;
}

bool has_account(self_pointer self, const std::string& user) {
  return legal_user_name(user) && self->state.control->accounts.count(user) > 0;
}

caf::expected<unique_fd> open_root(self_pointer self) {
  return open_file(self->state.options.path, O_RDONLY | O_DIRECTORY);
}

caf::expected<user_folder> open_user(self_pointer self,
                                     const std::string& user) {
  auto root = open_root(self);
  if (!root)
    return std::move(root.error());
  return user_folder::open(*root, user);
}

/// Whether the error is about this very file, so that trying again is useless.
bool about_the_file(const caf::error& error) {
  return error == ec::invalid_argument || error == ec::malformed
         || error == ec::too_large;
}

// -- how a file ends ----------------------------------------------------------

/// Leaves the folder alone for a while; told once per reason.
void pause(self_pointer self, const std::string& user,
           const std::string& reason) {
  auto& folder = self->state.folders[user];
  folder.not_before = self->clock().now() + self->state.options.retry_pause;
  folder.due.clear();
  if (folder.problem == reason)
    return;
  folder.problem = reason;
  spdlog::warn("drop_folder_waits user={} reason=\"{}\"", user,
               log_text(reason));
}

void finish(self_pointer self, const user_folder& place,
            const std::string& user, const listed_file& file, item_id id) {
  auto& folder = self->state.folders[user];
  // Until it is moved it must not be submitted again.
  folder.accepted[file.name] = {file.stamp, id};
  const auto moved = place.finish(file, id, self->state.options.keep_done);
  if (!moved)
    return pause(self, user, render(moved.error()));
  folder.accepted.erase(file.name);
}

void refuse(self_pointer self, const user_folder& place,
            const std::string& user, const listed_file& file,
            const std::string& reason) {
  const auto moved = place.refuse(file, reason);
  if (!moved)
    return pause(self, user, render(moved.error()));
  if (*moved)
    spdlog::warn("drop_file_refused user={} file=\"{}\" reason=\"{}\"", user,
                 log_text(file.name), log_text(reason));
}

void end(self_pointer self, const drop_job& job) {
  self->state.folders[job.user].busy = false;
  take_next(self, job.user);
}

void accepted(self_pointer self, const drop_job& job, item_id id) {
  self->state.folders[job.user].problem.clear();
  if (const auto place = open_user(self, job.user)) {
    finish(self, *place, job.user, job.file, id);
  } else {
    self->state.folders[job.user].accepted[job.file.name] = {job.file.stamp,
                                                             id};
    pause(self, job.user, render(place.error()));
  }
  end(self, job);
}

void not_accepted(self_pointer self, const drop_job& job,
                  const caf::error& problem) {
  const auto place = open_user(self, job.user);
  if (place && about_the_file(problem))
    refuse(self, *place, job.user, job.file, render(problem));
  else
    pause(self, job.user, render(problem));
  end(self, job);
}

// -- submitting ---------------------------------------------------------------

void submit_file(self_pointer self, const drop_job& job) {
  const auto& options = self->state.options;
  submit message;
  message.queue = default_operation.queue;
  message.user = job.user;
  message.submission.file_name = job.file.name;
  message.submission.operation = default_operation.word;
  message.submission.login = job.user;
  message.submission.source = source_drop.name;
  message.submission.blob = job.blob;
  message.submission.size = job.file.stamp.size;
  self->request(options.shard, options.request_timeout, std::move(message))
    .then([self, job](const enqueued& x) { accepted(self, job, x.ids.at(0)); },
          [self, job](const caf::error& x) { not_accepted(self, job, x); });
}

/// Whether this submission came from this very file, accepted before it could
/// be moved. Putting the same bytes there once more renews their ctime.
bool came_from(const submission_row& row, const drop_job& job) {
  return row.submission.source == source_drop.name
         && row.submission.blob == job.blob
         && row.received_us >= job.file.stamp.changed_ns / 1'000;
}

void choose(self_pointer self, const drop_job& job,
            const submissions_found& found) {
  for (const auto& row : found.rows)
    if (came_from(row, job))
      return accepted(self, job, row.id);
  if (!scanning(self) || !has_account(self, job.user))
    return end(self, job);
  submit_file(self, job);
}

void ask_for_earlier(self_pointer self, const drop_job& job) {
  const auto& options = self->state.options;
  submission_query query;
  query.user = job.user;
  query.file_name = job.file.name;
  query.with_documents = false;
  self->request(options.projector, options.request_timeout, std::move(query))
    .then([self, job](const submissions_found& x) { choose(self, job, x); },
          [self, job](const caf::error& x) {
            pause(self, job.user, render(x));
            end(self, job);
          });
}

/// Whether it is too soon to try this file again: a disk that fails takes its
/// time, in which nobody else's files are looked at.
bool is_left_alone(self_pointer self, const std::string& user,
                   const listed_file& file) {
  const auto& unread = self->state.folders[user].unread;
  const auto at = unread.find(file.name);
  return at != unread.end() && at->second.stamp == file.stamp
         && self->clock().now() < at->second.not_before;
}

/// What its disk does not give is no fault of the depositor's: it stays where
/// it is, and others go on.
void leave_alone(self_pointer self, const std::string& user,
                 const listed_file& file, const std::string& reason) {
  auto& known = self->state.folders[user].unread[file.name];
  if (!(known.stamp == file.stamp))
    spdlog::error("drop_file_not_read user={} file=\"{}\" reason=\"{}\"", user,
                  log_text(file.name), log_text(reason));
  known = {file.stamp, self->clock().now() + self->state.options.retry_pause};
}

/// True: the file is on its way and its user has to wait.
bool take(self_pointer self, const std::string& user, const listed_file& file) {
  auto& state = self->state;
  const auto place = open_user(self, user);
  auto unusable = place ? place->prepare() : place.error();
  if (unusable) {
    pause(self, user, render(unusable));
    return false;
  }
  const auto& known = state.folders[user].accepted;
  if (const auto found = known.find(file.name);
      found != known.end() && found->second.stamp == file.stamp) {
    finish(self, *place, user, file, found->second.id);
    return false;
  }
  reading content;
  if (!is_left_alone(self, user, file))
    content = place->read(file, state.options.file_bytes_max);
  if (content.state == reading_state::unread)
    leave_alone(self, user, file, content.text);
  if (content.state == reading_state::unfit)
    refuse(self, *place, user, file, content.text);
  if (content.state != reading_state::whole) {
    // It waits again, so that it does not stand in the way of the others.
    state.folders[user].seen.forget(file.name);
    return false;
  }
  auto blob = state.options.blobs->put(content.text);
  if (!blob) {
    pause(self, user, render(blob.error()));
    return false;
  }
  ask_for_earlier(self, {user, file, std::move(*blob)});
  return true;
}

/// One file per user at a time: files of a user keep their order, and nobody
/// fills the engine's mailboxes.
void take_next(self_pointer self, const std::string& user) {
  auto& folder = self->state.folders[user];
  while (!folder.busy && !folder.due.empty() && scanning(self)) {
    const auto file = std::move(folder.due.front());
    folder.due.pop_front();
    folder.busy = take(self, user, file);
  }
}

// -- looking ------------------------------------------------------------------

/// Finds what became ready for one user, and at most `count_max` of it.
std::size_t look_at(self_pointer self, const unique_fd& root,
                    const std::string& user, std::size_t count_max) {
  const auto& options = self->state.options;
  auto& folder = self->state.folders[user];
  const auto place = user_folder::open(root, user);
  auto files = place ? place->list(options.files_per_folder_max)
                     : caf::expected<std::vector<listed_file>>{place.error()};
  if (!files) {
    pause(self, user, render(files.error()));
    return 0;
  }
  const auto is_gone = [&](const auto& x) {
    return std::none_of(files->begin(), files->end(), [&](const auto& file) {
      return file.name == x.first && file.stamp == x.second.stamp;
    });
  };
  std::erase_if(folder.accepted, is_gone);
  std::erase_if(folder.unread, is_gone);
  auto ready =
    folder.seen.observe(*files, self->clock().now(), options.scan_interval);
  ready.resize(std::min(ready.size(), count_max));
  folder.due.assign(ready.begin(), ready.end());
  const auto count = folder.due.size();
  take_next(self, user);
  return count;
}

/// The users whose folders are to be looked at now, in turn.
std::vector<std::string> whose_turn(self_pointer self,
                                    const std::vector<std::string>& names) {
  auto& state = self->state;
  std::set<std::string> foreign;
  std::vector<std::string> out;
  const auto first =
    std::upper_bound(names.begin(), names.end(), state.looked_at_last)
    - names.begin();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& name = names[(first + i) % names.size()];
    if (!has_account(self, name)) {
      foreign.insert(name);
      if (state.foreign.count(name) == 0)
        spdlog::warn("drop_folder_without_account folder=\"{}\"",
                     log_text(name));
      continue;
    }
    const auto& folder = state.folders[name];
    if (!folder.busy && folder.due.empty()
        && folder.not_before <= self->clock().now())
      out.push_back(name);
  }
  state.foreign = std::move(foreign);
  return out;
}

std::size_t on_their_way(const drop_folder_state& state) {
  std::size_t out = 0;
  for (const auto& [user, folder] : state.folders)
    out += folder.due.size() + (folder.busy ? 1 : 0);
  return out;
}

void look(self_pointer self, const unique_fd& root,
          const std::vector<std::string>& names) {
  auto& state = self->state;
  std::erase_if(state.folders, [&](const auto& x) {
    return !x.second.busy
           && !std::binary_search(names.begin(), names.end(), x.first);
  });
  const auto users = whose_turn(self, names);
  const auto most = state.options.files_per_scan_max;
  auto used = on_their_way(state);
  const auto share =
    std::max<std::size_t>(1, most / std::max<std::size_t>(1, users.size()));
  auto folders_left = state.options.folders_per_scan_max;
  for (const auto& user : users) {
    if (used >= most || folders_left-- == 0)
      return;
    used += look_at(self, root, user, std::min(share, most - used));
    state.looked_at_last = user;
  }
}

void scan(self_pointer self) {
  auto& state = self->state;
  self->delayed_send(self, state.options.scan_interval, scan_due{});
  if (!scanning(self))
    return;
  const auto root = open_root(self);
  const auto names = root
                       ? list_folders(*root)
                       : caf::expected<std::vector<std::string>>{root.error()};
  if (names)
    look(self, *root, *names);
  else if (!state.root_failed)
    spdlog::warn("drop_folder_unusable reason=\"{}\"", render(names.error()));
  state.root_failed = !names;
}

// -- control ------------------------------------------------------------------

void take_control(self_pointer self, const control_snapshot& control) {
  self->state.control = control;
  if (scanning(self))
    return;
  for (auto& [user, folder] : self->state.folders) {
    folder.due.clear();
    folder.seen.forget_all();
  }
}

} // namespace

drop_folder_self::behavior_type drop_folder(actor_with<drop_folder_state>* self,
                                            drop_folder_options options) {
  self->state.options = std::move(options);
  follow_control(self, self->state.options.shard,
                 {.patience = self->state.options.request_timeout,
                  .again_after = self->state.options.scan_interval});
  self->delayed_send(self, self->state.options.scan_interval, scan_due{});
  return {
    [self](const control_changed& x) { take_control(self, x.state); },
    [self](scan_due) { scan(self); },
  };
}

} // namespace depositd::drop

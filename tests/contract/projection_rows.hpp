#pragma once

// Rows for tests of the projection.

#include "messages/values/rows.hpp"

#include <string>

namespace depositd {

/// An item with something in every field.
inline item_row an_item(item_id id, const std::string& user = "ann") {
  item_row out;
  out.id = id;
  out.queue = "metadata";
  out.user = user;
  out.priority = 5;
  out.size = 1'000 + id;
  out.received_us = 1'700'000'000'000'000 + static_cast<micros>(id);
  out.digest = 0xf000'0000'0000'0000 + id;
  out.place = {.group = id, .offset = 7, .length = 100};
  return out;
}

/// A submission with something in every field that a queued one has.
inline submission_row a_submission(item_id id, const std::string& user = "ann",
                                   const std::string& file = "a.xml") {
  submission_row out;
  out.id = id;
  out.user = user;
  out.queue = "metadata";
  out.submission = {.file_name = file,
                    .operation = "doMDUpload",
                    .login = user + "@example.org/" + user,
                    .source = "http",
                    .blob = "blob" + std::to_string(id),
                    .size = 12,
                    .trace = "00-" + std::string(32, 'a') + "-"
                             + std::string(16, 'b') + "-01"};
  out.received_us = 1'700'000'000'000'000 + static_cast<micros>(id);
  return out;
}

} // namespace depositd

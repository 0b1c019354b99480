#pragma once

// What operators ask of dead letters.

#include "messages/message.hpp"
#include "messages/values/letters.hpp"

#include <string>
#include <vector>

namespace depositd {

struct find_letters {
  letter_query what;
};
DEPOSITD_LOCAL(find_letters);

struct letters_found {
  letter_list page;
};
DEPOSITD_LOCAL(letters_found);

struct read_letter {
  std::string id;
};
DEPOSITD_LOCAL(read_letter);

struct letter_read {
  letter what;
};
DEPOSITD_LOCAL(letter_read);

/// Writes records to the topic again where they came from, in the order in
/// which they are named: all, or none if one of them cannot be.
struct replay_letters {
  std::vector<std::string> ids;
};
DEPOSITD_LOCAL(replay_letters);

/// The brokers have them.
struct letters_replayed {
  std::string topic;
};
DEPOSITD_LOCAL(letters_replayed);

} // namespace depositd

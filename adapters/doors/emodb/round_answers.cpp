#include "adapters/doors/emodb/round_answers.hpp"

#include "adapters/doors/emodb/answers.hpp"
#include "adapters/doors/emodb/wire_id.hpp"

#include <string>
#include <utility>

namespace depositd::emodb {

void round_answers::sent(answer& to, bool accepted, bool over_bytes) {
  to.send(accepted ? success() : queue_full(over_bytes));
}

void round_answers::acknowledged(answer& to) {
  to.send(success());
}

void round_answers::taken(answer& to, const std::vector<received_item>& all,
                          std::size_t from, std::size_t count,
                          std::string_view queue) {
  std::size_t bytes = 2;
  for (auto i = from; i < from + count; ++i)
    bytes += (all[i].body ? all[i].body->size() : 0) + 64;
  std::string out;
  out.reserve(bytes);
  out += '[';
  for (auto i = from; i < from + count; ++i) {
    // Empty, from another door: no JSON.
    if (!all[i].body)
      continue;
    begin_message(out, all[i].name, queue);
    out += *all[i].body;
    out += '}';
  }
  out += ']';
  to.send(json_answer(std::move(out)));
}

void round_answers::failed(answer& to, const caf::error& why) {
  to.send(failure(why));
}

} // namespace depositd::emodb

#include "adapters/processing/aptrust/arriving.hpp"

namespace depositd::aptrust {

arrival decide_arrival(const arrival_facts& x) {
  switch (x.last) {
    case last_item::none:
    case last_item::cancelled:
      return arrival::create;
    case last_item::unfinished:
      return arrival::skip;
    case last_item::failed:
      return x.past_retention ? arrival::remove : arrival::skip;
    case last_item::succeeded:
      return x.object_active ? arrival::skip : arrival::create;
  }
  return arrival::skip;
}

} // namespace depositd::aptrust

#pragma once

// The memory of a ring, shared by the sources that implement it.

#include "actors/rules/ring/lists.hpp"
#include "actors/rules/ring/ring.hpp"

#include <list>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace depositd::rules {

/// What a user has cost is divided by its allocation, so it counts in parts.
inline constexpr std::uint64_t cost_unit = 1024;

/// The hot facts of one user, in one line of the cache; its name is kept apart.
struct alignas(64) ring_member {
  std::uint64_t stamp = 0;
  std::uint64_t picks = 0; ///< since the engine started
  /// Where the queue is fair by cost: never less than the floor while it is
  /// linked. In parts.
  std::uint64_t spent = 0;
  std::uint64_t cost_mean = 0; ///< of its recent items; 0: none yet
  std::uint32_t credit = 0;
  std::uint32_t in_flight = 0;
  std::uint32_t allocation = 1;
  std::uint32_t concurrency = no_cap;
  std::uint32_t first_cell = nobody;
  bool present : 1 = false;
  bool held : 1 = false;
  bool prohibited : 1 = false;
  bool named : 1 = false;    ///< some view names it
  bool servable : 1 = false; ///< linked for those who require it
  bool eligible : 1 = false; ///< linked for all others too
  bool restored : 1 = false; ///< was put back to the head, not served since

  /// Items per turn. A user outside the rotation is served one by one by
  /// those who require it.
  std::uint32_t turn() const noexcept {
    return allocation > 0 ? allocation : 1;
  }
};

/// Links of the users that a view names, by slot (place among the names).
struct slot_links {
  struct pair {
    std::uint32_t prev = unlinked;
    std::uint32_t next = nobody;
  };
  std::vector<pair>* slots;

  std::uint32_t& prev(std::uint32_t slot) const noexcept {
    return (*slots)[slot].prev;
  }
  std::uint32_t& next(std::uint32_t slot) const noexcept {
    return (*slots)[slot].next;
  }
};

/// Requests of one taker, parked at a view.
struct waiting_request {
  std::uint64_t ticket = 0; ///< order of arrival over all views
  std::uint64_t taker = 0;
  std::uint32_t count = 0;
};

/// What makes two criteria the same.
struct view_key {
  size_class class_max = 0;
  pick_kind by = pick_kind::round_robin;
  std::vector<std::string> names;    ///< required or preferred, sorted
  std::vector<std::string> excluded; ///< sorted; none if `by` is required

  friend auto operator<=>(const view_key& x, const view_key& y) {
    return std::tie(x.class_max, x.by, x.names, x.excluded)
           <=> std::tie(y.class_max, y.by, y.names, y.excluded);
  }
};

struct ring_view {
  explicit ring_view(std::uint32_t bands) : lists(bands), links(bands) {}

  view_key key;
  std::uint32_t uses = 0;

  /// The named users, eligible ones linked; everybody else is in the main
  /// lists, which views share.
  band_lists lists;
  std::vector<std::vector<slot_links::pair>> links; ///< per band, when used
  std::vector<member_number> slot_members;          ///< or nobody

  std::unordered_set<member_number> excluded;

  /// Per view, or one taker's picks would starve the bands of another.
  std::uint64_t picks = 0;
  std::vector<std::uint64_t> band_served; ///< number of the last pick in it

  std::list<waiting_request> waiting;

  bool required() const noexcept {
    return key.by == pick_kind::required;
  }
  bool linked(std::uint8_t band, std::uint32_t slot) const noexcept {
    return slot < links[band].size() && links[band][slot].prev != unlinked;
  }
  slot_links links_of(std::uint8_t band) {
    if (links[band].size() < slot_members.size())
      links[band].resize(slot_members.size());
    return {&links[band]};
  }
};

/// That a view names a user: in its slot, or (`nobody`) as excluded.
struct mention {
  view_number view = 0;
  std::uint32_t slot = nobody;
};

struct ring::state {
  state(priority_mode mode, std::uint32_t oldest_band_every);

  // -- settings
  std::uint32_t bands;
  std::uint32_t oldest_band_every;
  bool recovering = true;

  // -- members
  std::vector<ring_member> members;
  std::vector<std::string> names;
  name_index index{names};
  cell_store cells;
  fair_by shared = fair_by::turns;
  std::uint64_t cost_floor = 0; ///< `spent` of whom the ring served last
  std::uint64_t cost_mean = 0;  ///< of recent items of all
  std::uint64_t stamp_last = 0;
  std::int64_t ready = 0;
  std::int64_t reserved = 0;
  std::uint64_t in_flight = 0;
  std::uint32_t users = 0;
  std::uint32_t eligible_users = 0;

  /// Users in the rotation, per size class: those with items up to it.
  std::vector<band_lists> main;

  // -- views
  std::vector<std::unique_ptr<ring_view>> views;
  std::vector<view_number> free_views;
  std::map<view_key, view_number> interned;
  std::unordered_map<std::string, std::vector<mention>> mentions_of_name;
  std::unordered_map<member_number, std::vector<mention>> mentions;

  // -- waiting
  using ticketed = std::pair<std::uint64_t, view_number>;
  /// Views at which somebody waits for anybody, per class, by first ticket.
  std::vector<std::set<ticketed>> open_waiting;
  /// Whether somebody joined the main lists of a class since no one of
  /// `open_waiting` could be served.
  std::vector<bool> stirred;
  /// Views at which somebody waits for required users, who may be eligible.
  std::set<ticketed> required_stirred;
  struct parked {
    view_number view = 0;
    std::list<waiting_request>::iterator at;
  };
  std::unordered_map<std::uint64_t, std::vector<parked>> takers;
  std::uint64_t ticket_last = 0;

  // -- ring.cpp
  ring_member& member(member_number m);
  void add_ready(member_number m, const ready_change& change);
  void clear_ready(member_number m);
  void clear_reserved(member_number m);
  void release_reserved(member_number m, std::uint8_t band, size_class cls);
  void change_in_flight(member_number m, std::int32_t delta);

  // -- ring_links.cpp: who is linked where
  std::uint8_t clamp_band(std::uint8_t band) const noexcept;
  size_class clamp_class(size_class cls) const noexcept;
  std::uint32_t cell_of(member_number m, std::uint8_t band) const noexcept;
  std::uint32_t need_cell(member_number m, std::uint8_t band);
  /// To be called after anything about a user changed: links and unlinks it.
  void sync(member_number m);
  void set_links(member_number m);
  void set_link(const mention& x, member_number m);
  void free_idle_cells(member_number m);
  enum class end : std::uint8_t { head, tail };
  /// Moves a user to one end of every list it is in: of those, by cost, who
  /// have spent as much.
  void move_to(end where, member_number m) {
    move_to(where, m, spent(m));
  }
  void move_to(end where, member_number m, std::uint64_t spent);

  // -- costs.cpp
  std::uint64_t spent(member_number m) const noexcept {
    return shared == fair_by::turns ? 0 : members[m].spent;
  }
  std::uint64_t expected_cost(member_number m) const noexcept;
  void learn_cost(member_number m, std::uint64_t cost);
  void settle_cost(member_number m, std::uint64_t charged, std::uint64_t cost,
                   std::int32_t items);
  /// Ends recovery: the floor is where the ring stood.
  void settle_floor();
  /// Of the pick that is made now; the user moves behind who has spent less.
  void charge(pick& x);
  /// Users in the order in which a new list takes them.
  void sort_by_stamp(std::vector<member_number>& which) const;

  // -- ring_views.cpp
  struct candidate {
    member_number member = nobody;
    std::uint32_t cell = nobody;
    std::uint8_t band = 0;
    pick_kind by = pick_kind::round_robin;
  };
  std::optional<candidate> find(ring_view& view);
  pick take(ring_view& view, const candidate& who);
  std::uint8_t choose_band(band_set among, const ring_view& view) const;

  // -- ring_waiting.cpp
  void stir_required(view_number view);
  void enlist(view_number view);
  void delist(view_number view);
  void forget_request(view_number view,
                      std::list<waiting_request>::iterator at);
  std::optional<std::pair<view_number, candidate>> first_waiting();
};

} // namespace depositd::rules

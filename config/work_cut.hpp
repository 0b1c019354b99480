#pragma once

// The end of work that does not end by itself.

#include "adapters/processing/exec/program_groups.hpp"

#include <atomic>
#include <functional>
#include <memory>

namespace depositd {

/// Of all stages' work in this process. May be used from any thread.
struct work_cut {
  /// Kills programs with all they started, and breaks off what the web and the
  /// relay of mails are slow with. What ends afterwards is given back.
  void make() {
    made = true;
    programs.end_all();
  }

  std::atomic<bool> made = false;
  exec::program_groups programs;
};

using work_cut_ptr = std::shared_ptr<work_cut>;

/// Whether it is made, for who works.
inline std::function<bool()> watch(const work_cut_ptr& x) {
  return [x] { return x->made.load(); };
}

} // namespace depositd

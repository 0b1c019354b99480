#pragma once

// Families of metrics on their way to a text. What is exported, under which
// names, is in queue_metrics.cpp, engine_metrics.cpp and seldom_metrics.cpp;
// docs/METRICS.md lists it for people, and tests/system/metrics_test.py holds
// both together.

#include "adapters/doors/operations/engine_numbers.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace depositd::metrics {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using labels = std::vector<ClientMetric::Label>;

inline double seconds(double us) {
  return us / 1e6;
}

/// Families in the order in which they were begun.
class exported {
public:
  void begin(const char* name, const char* help, MetricType type) {
    drop_empty();
    families_.push_back({name, help, type, {}});
  }

  void counter(const char* name, const char* help) {
    begin(name, help, MetricType::Counter);
  }

  void gauge(const char* name, const char* help) {
    begin(name, help, MetricType::Gauge);
  }

  void histogram(const char* name, const char* help) {
    begin(name, help, MetricType::Histogram);
  }

  /// A value of the family that was begun last.
  void add(labels of, double value) {
    auto& out = next(std::move(of));
    if (families_.back().type == MetricType::Counter)
      out.counter.value = value;
    else
      out.gauge.value = value;
  }

  void add(labels of, std::uint64_t value) {
    add(std::move(of), static_cast<double>(value));
  }

  /// Times as they are counted in arrays.
  template <class Counts>
  void add_times(labels of, const Counts& from, std::size_t at) {
    auto& to = next(std::move(of)).histogram;
    for (std::size_t i = 0; i < time_buckets; ++i) {
      to.sample_count += from.n[at + i];
      const auto end = i < time_bounds_us.size()
                         ? seconds(static_cast<double>(time_bounds_us[i]))
                         : std::numeric_limits<double>::infinity();
      to.bucket.push_back({to.sample_count, end});
    }
    to.sample_sum = seconds(static_cast<double>(from.n[at + time_buckets]));
  }

  /// Sizes of groups of the journal.
  void add_sizes(labels of, const group_sizes& from) {
    auto& to = next(std::move(of)).histogram;
    for (std::size_t i = 0; i < from.in.size(); ++i) {
      to.sample_count += from.in[i];
      const auto end = i < group_bounds.size()
                         ? static_cast<double>(group_bounds[i])
                         : std::numeric_limits<double>::infinity();
      to.bucket.push_back({to.sample_count, end});
    }
    to.sample_sum = static_cast<double>(from.events);
  }

  std::string text() {
    drop_empty();
    std::ostringstream out;
    prometheus::TextSerializer{}.Serialize(out, families_);
    return std::move(out).str();
  }

private:
  ClientMetric& next(labels of) {
    auto& out = families_.back().metric.emplace_back();
    out.label = std::move(of);
    return out;
  }

  void drop_empty() {
    if (!families_.empty() && families_.back().metric.empty())
      families_.pop_back();
  }

  std::vector<MetricFamily> families_;
};

/// Of queues and their users.
void add_queues(exported& to, const engine_numbers& x,
                const lasting_counters& counts);

/// Of everything else.
void add_engine(exported& to, const engine_numbers& x);

/// Of what is not told by those who are asked.
void add_seldom(exported& to, const engine_numbers& x);

} // namespace depositd::metrics

#include "benchmarks/depositbench/senders.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace depositd::bench {

std::vector<sender> read_senders(const std::string& file) {
  std::ifstream in{file};
  if (!in)
    throw std::runtime_error("--keys: cannot read " + file);
  std::vector<sender> out;
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line.front() == '#')
      continue;
    std::istringstream words{line};
    sender x;
    std::string more;
    if (!(words >> x.name >> x.secret) || words >> more)
      throw std::runtime_error("--keys: a line must be NAME SECRET");
    out.push_back(std::move(x));
  }
  if (out.empty())
    throw std::runtime_error("--keys: nothing in " + file);
  return out;
}

} // namespace depositd::bench

#include "config/setting_values.hpp"
#include "config/settings.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <sstream>

namespace depositd {

namespace {

constexpr std::size_t levels_max = 8;

/// Walks over a document and collects its leaves.
class yaml_walk {
public:
  explicit yaml_walk(std::string name) : name_(std::move(name)) {
    // nop
  }

  caf::error visit(const YAML::Node& node, const std::string& key,
                   std::size_t level) {
    if (level > levels_max)
      return bad_setting("too many levels (" + origin(node) + ")");
    switch (node.Type()) {
      case YAML::NodeType::Map:
        return visit_map(node, key, level);
      case YAML::NodeType::Sequence:
        return visit_list(node, key);
      case YAML::NodeType::Scalar:
        return add({key, {node.Scalar()}, false, false, origin(node)});
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        return add({key, {}, false, true, origin(node)});
    }
    return caf::none;
  }

  std::vector<given_setting> found;

private:
  std::string origin(const YAML::Node& node) const {
    return name_ + ":" + std::to_string(node.Mark().line + 1);
  }

  caf::error add(given_setting x) {
    if (x.key.empty())
      return x.empty ? caf::error{}
                     : bad_setting("there are no keys (" + x.origin + ")");
    if (!seen_.insert(x.key).second)
      return bad_setting(x.key + ": given twice (" + x.origin + ")");
    // A section without anything in it says nothing, but for a queue's.
    found.push_back(std::move(x));
    return caf::none;
  }

  caf::error visit_map(const YAML::Node& node, const std::string& key,
                       std::size_t level) {
    if (node.size() == 0)
      return add({key, {}, false, true, origin(node)});
    for (const auto& entry : node) {
      if (!entry.first.IsScalar())
        return bad_setting("a key must be a text (" + origin(entry.first)
                           + ")");
      const auto& name = entry.first.Scalar();
      auto failure =
        visit(entry.second, key.empty() ? name : key + "." + name, level + 1);
      if (failure)
        return failure;
    }
    return caf::none;
  }

  caf::error visit_list(const YAML::Node& node, const std::string& key) {
    given_setting x{key, {}, true, false, origin(node)};
    for (const auto& entry : node) {
      if (!entry.IsScalar())
        return bad_setting(key + ": must be a list of texts (" + origin(entry)
                           + ")");
      x.values.push_back(entry.Scalar());
    }
    return add(std::move(x));
  }

  std::string name_;
  std::set<std::string> seen_;
};

/// Hears nothing of a document.
class deaf : public YAML::EventHandler {
public:
  void OnDocumentStart(const YAML::Mark&) override {
    // nop
  }
  void OnDocumentEnd() override {
    // nop
  }
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {
    // nop
  }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {
    // nop
  }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {
    // nop
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    // nop
  }
  void OnSequenceEnd() override {
    // nop
  }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    // nop
  }
  void OnMapEnd() override {
    // nop
  }
};

/// 2 if there are more. `YAML::LoadAll` would not do: of a text like ",a" it
/// makes documents without end.
int count_documents(const std::string& text) {
  std::istringstream from{text};
  YAML::Parser parser{from};
  deaf nobody;
  int out = 0;
  while (out < 2 && parser.HandleNextDocument(nobody))
    ++out;
  return out;
}

} // namespace

caf::expected<std::vector<given_setting>> read_yaml(const std::string& text,
                                                    const std::string& name) {
  try {
    const auto documents = count_documents(text);
    if (documents > 1)
      return bad_setting(name + ": more than one document");
    yaml_walk walk{name};
    if (documents > 0)
      if (auto failure = walk.visit(YAML::Load(text), "", 0))
        return failure;
    return std::move(walk.found);
  } catch (const YAML::Exception& problem) {
    return bad_setting(name + ":" + std::to_string(problem.mark.line + 1) + ": "
                       + problem.msg);
  }
}

} // namespace depositd

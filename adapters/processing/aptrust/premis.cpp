#include "adapters/processing/aptrust/premis.hpp"

#include "adapters/stores/files/sha256.hpp"
#include "messages/values/uuid.hpp"

#include <utility>

namespace depositd::aptrust {

premis_event make_event(const premis_scene& scene, premis_facts facts) {
  premis_event out;
  out.type = facts.type;
  out.at_us = scene.at_us;
  out.detail = std::move(facts.detail);
  out.outcome = std::move(facts.outcome);
  out.outcome_detail = std::move(facts.outcome_detail);
  out.object = scene.object;
  out.file = std::move(facts.file);
  out.agent = scene.agent;
  out.owner = scene.owner;
  out.job = scene.job;
  // No part has a line break that could move the border between two.
  std::string parts;
  for (const auto* part :
       {&out.object, &out.job, &out.type, &out.file, &out.detail})
    parts += std::to_string(part->size()) + "\n" + *part;
  out.id = uuid_of_digest(sha256_hex(parts));
  return out;
}

} // namespace depositd::aptrust

#include "adapters/sources/make_reader.hpp"

#include "adapters/sources/kafka/kafka_reader.hpp"
#include "adapters/sources/local/exec_reader.hpp"
#include "adapters/sources/local/folder_reader.hpp"
#include "adapters/sources/sql/sql_reader.hpp"
#include "adapters/sources/web/queue_reader.hpp"
#include "adapters/sources/web/s3_reader.hpp"
#include "adapters/sources/web/sqs_reader.hpp"

namespace depositd::sources {

caf::expected<std::unique_ptr<source_reader>>
make_reader(const std::string& name, const source_settings& x,
            const reader_context& in) {
  switch (x.kind) {
    case source_kind::sql:
      return make_sql_reader(name, x, in);
    case source_kind::sqs:
      return make_sqs_reader(name, x, in);
    case source_kind::kafka:
      return make_kafka_reader(name, x, in);
    case source_kind::s3:
      return make_s3_reader(name, x, in);
    case source_kind::folder:
      return make_folder_reader(name, x, in);
    case source_kind::queue:
      return make_queue_reader(name, x, in);
    case source_kind::exec:
      return make_exec_reader(name, x, in);
  }
  return caf::make_error(ec::bad_setting, "kind: there is no such kind");
}

} // namespace depositd::sources

#pragma once

// Objects of a bucket of S3, by their keys.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <memory>
#include <string>

namespace depositd::sources {

/// Lists what is in `from.bucket` and begins with `from.prefix`, in the order
/// of the keys' bytes. The cursor is the key of the last object, so an object
/// whose key comes before it later on is never read; a key that is not UTF-8
/// has a cursor that is. The record's key is the object's; its body is
/// {"bucket","key","size","etag","modified_at"}. Keys of nothing that end in
/// '/', which stand for folders, are passed over. Without `from.endpoint` it
/// asks AWS; with one, the bucket is in the path. Whoever names no files of
/// keys does not sign.
///
/// `ec::malformed` if the server's list is in another order: records would be
/// missed. `ec::bad_setting` for a bucket, endpoint, prefix, region or files of
/// keys that cannot be; touches nothing.
caf::expected<std::unique_ptr<source_reader>>
make_s3_reader(const std::string& name, const source_settings& x,
               const reader_context& in);

} // namespace depositd::sources

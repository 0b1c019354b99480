#pragma once

// Whose a document is that cannot be read as a whole: clients ask by the batch
// id, and the address is where the depositor hears what is wrong.

#include <string>
#include <string_view>

namespace depositd::crossref {

/// Looks for the first element `head`, of whatever namespace, in the first
/// 64 KiB, up to the first byte that is not UTF-8, and sets of batch id and
/// address what is still empty and stands there. The document may be in any
/// encoding that has ASCII; what comes before the head is not judged.
void find_head(std::string_view document, std::string& batch_id,
               std::string& email);

} // namespace depositd::crossref

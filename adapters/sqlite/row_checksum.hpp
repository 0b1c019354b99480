#pragma once

#include "adapters/files/row_checksum.hpp"

namespace depositd::sqlite {

using depositd::lookup_key;
using depositd::row_checksum;
using depositd::table_sum;

} // namespace depositd::sqlite

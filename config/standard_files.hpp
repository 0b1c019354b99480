#pragma once

namespace depositd {

/// Opens /dev/null as each of standard input, output and error that is closed:
/// a file or connection in its place would be given what is written there. To
/// begin with, before anything else is opened.
void open_standard_files();

} // namespace depositd

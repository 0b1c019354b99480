// A plugin of GCC 12: `#pragma depositd instantiate_now` makes the templates
// that were asked for so far, which otherwise wait for the end of each source.
// Why: docs/decisions/0050. The standard counts both places as the point where
// a function template is made, so sources mean the same with and without.
// SPDX-License-Identifier: GPL-3.0-or-later OR MIT
// clang-format off: GCC's headers go in this order.
#include <gcc-plugin.h>
#include <plugin-version.h>
#include <tree.h>
#include <cp/cp-tree.h>
#include <c-family/c-pragma.h>
// clang-format on

/// GCC takes no plugin that does not say so.
int plugin_is_GPL_compatible;

namespace {

void instantiate_now(cpp_reader*) {
  instantiate_pending_templates(0);
}

void add_pragmas(void*, void*) {
  c_register_pragma("depositd", "instantiate_now", instantiate_now);
}

} // namespace

/// Called by the compiler; anything but 0 ends it with an error.
int plugin_init(plugin_name_args* plugin, plugin_gcc_version* compiler) {
  if (!plugin_default_version_check(compiler, &gcc_version))
    return 1;
  register_callback(plugin->base_name, PLUGIN_PRAGMAS, add_pragmas, nullptr);
  return 0;
}

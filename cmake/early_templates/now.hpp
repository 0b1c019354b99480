#pragma once

// The last of the precompiled headers: the templates that those before it ask
// for become part of them (CMakeLists.txt says why).
#pragma depositd instantiate_now

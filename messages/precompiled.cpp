// Compiles the map once, so that a mistake in it shows here first.
#include "messages/actors.hpp"

#include "actors/rules/ring.hpp"

#include "actors/rules/control.hpp"

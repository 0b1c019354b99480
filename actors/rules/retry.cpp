#include "actors/rules/retry.hpp"

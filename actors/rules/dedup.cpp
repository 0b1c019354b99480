#include "actors/rules/dedup.hpp"

#include "actors/rules/slice_fold.hpp"

#include "actors/rules/ledger.hpp"

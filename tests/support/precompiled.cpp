// Compiles the messages as tests see them, with headers that all tests share.
#include "messages/actors.hpp"

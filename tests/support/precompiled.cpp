// Compiles the messages as tests see them, with the headers that all tests share.
#include "messages/actors.hpp"

#pragma once

/// Nothing is called from here: the library is loaded before a server, and stands in for two functions of the C library.

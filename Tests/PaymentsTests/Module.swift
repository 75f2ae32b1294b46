// Filled by the first suite.

// Filled by the first type of the module.

// Filled by the read models.

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/* Read by the sanitizer before the program begins: Swift keeps marks in spare bits of pointers, and what such pointers alone
 * hold would count as leaked. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif
#endif

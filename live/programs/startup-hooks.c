// Writes the address of each function that starts, as programs built with -finstrument-functions are traced.
#include <stdio.h>

void __cyg_profile_func_enter(void *, void *) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *, void *) __attribute__((no_instrument_function));

void __cyg_profile_func_enter(void *function, void *caller) { fprintf(stderr, "%p %p\n", function, caller); }
void __cyg_profile_func_exit(void *function, void *caller) {
	(void)function;
	(void)caller;
}

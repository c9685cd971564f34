#include <stdio.h>
#include "parts.h"

PAD(pad_before)

void rarely(void) {
	puts("many");
}

PAD(pad_behind)

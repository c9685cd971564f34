#include "parts.h"

PAD(pad_before)

/** A static function of this name is in another file too. */
__attribute__((noinline)) static int step(char before, char now) {
	return before == ' ' && now != ' ';
}

PAD(pad_between)

struct counted count_words(const char *text) {
	struct counted counted = {0, 0};
	char before = ' ';
	for (; *text != 0; text++) {
		counted.words += step(before, *text);
		counted.lines += *text == '\n';
		before = *text;
	}
	return counted;
}

PAD(pad_behind)

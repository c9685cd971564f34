#include <stdio.h>
int one(int x);
static int twice(int x) { return x * 2; }
int main(void) { return printf("%d\n", twice(one(20))) < 0; }

/* The shared library of processes.c. */
int fromLibrary(int number) { return number + 3; }

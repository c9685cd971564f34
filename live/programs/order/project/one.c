int one(int x) { return x + 1; }

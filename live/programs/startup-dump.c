// clang's order-file instrumentation writes nothing by itself.
int __llvm_orderfile_dump(void);
__attribute__((destructor)) static void dump(void) { __llvm_orderfile_dump(); }

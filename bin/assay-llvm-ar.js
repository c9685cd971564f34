#!/usr/bin/env node
// CMake looks for the archiver of a compiler assay-cc under this name.
process.argv.splice(2, 0, 'order', 'cc', '--driver', 'c', '--tool', 'llvm-ar', '--');
await import('../dist/cli.js');

#!/usr/bin/env node
process.argv.splice(2, 0, 'order', 'cc', '--driver', 'c++', '--');
await import('../dist/cli.js');

/** The library: what the command line does, for programs. */
export { main } from './cli/main.js';

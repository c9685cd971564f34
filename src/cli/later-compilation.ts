/**
 * A command is over before much of what V8 compiles for it pays: a third of the processor time of a report went into the optimizing compiler. Functions are optimized
 * later, and with less inlined into them (docs/decisions/later-compilation.md).
 */
import { setFlagsFromString } from 'node:v8';

/** Bytes of bytecode that are executed before a function is considered; V8's own: 66 or 132 thousand. */
setFlagsFromString('--interrupt-budget=300000');
/** Bytes of bytecode that are inlined into one function; V8's own: 920. */
setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');

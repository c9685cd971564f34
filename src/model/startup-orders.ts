/** What the orders of functions are called that assay makes of a program's start-up by itself. */

export const FIRST_EXECUTION = 'first execution';
export const OPTIMIZED = 'optimized';

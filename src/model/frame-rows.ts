/** Rows of profiles for what is no Java method, in round brackets as everywhere. */

export const NATIVE_ROW = '(native)';
export const KERNEL_ROW = '(kernel)';
/** The profiler could not tell. */
export const UNKNOWN_ROW = '(unknown)';

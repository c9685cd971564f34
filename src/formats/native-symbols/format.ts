/**
 * `native-symbols.txt`, which `assay record` writes beside perf.data: the functions of programs, libraries and the kernel that samples lie in, so that the
 * recording can be read on another machine. Lines of five columns, separated by tabs, behind a first line that names the format:
 *
 *     # assay native symbols 1
 *     /usr/lib/x86_64-linux-gnu/libc.so.6	6196744a316dbd57c0fd8968df1680aac482cec4	9a1b0	2f1	malloc
 *     [kernel.kallsyms]	-	ffffffff8168a600	90	mod_memcg_lruvec_state
 *
 * They are: the file as perf names it; its build id, or `-`; where the function begins, and its size, in hexadecimal digits: offsets in the file, of the kernel
 * and its modules addresses; its name, demangled. A backslash stands before `n`, `t`, `r` (those characters) and another backslash.
 */
export const NATIVE_SYMBOLS_HEAD = '# assay native symbols 1';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const MEANINGS: Readonly<Record<string, string>> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n', '\\r': '\r' };

export function escaped(text: string): string {
	return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

export function unescaped(text: string): string {
	return text.includes('\\') ? text.replace(/\\[\\tnr]/g, (pair) => MEANINGS[pair] ?? pair) : text;
}

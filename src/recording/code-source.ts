/** Code that a file tells of, whatever wrote it: which pieces there are, and their instructions where somebody asks for them. */
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Problem } from '../model/problem.js';

/** How code is shown where it comes from: bytes or a disassembly in the JVM's log, or the agent's log. */
export type CodeForm = 'MachCode' | 'hsdis' | 'agent';

/** Code that a file tells of: its pieces, and their instructions on demand. */
export interface CodeSource {
	readonly file: string;
	readonly code: readonly GeneratedCode[];
	readonly processId: number | null;
	/** What CLOCK_MONOTONIC was when `installedSeconds` are 0, and when the last piece came; null where the stamps are of another clock. */
	readonly monotonic?: { readonly startSeconds: number; readonly lastSeconds: number } | null;
	readonly problems: readonly Problem[];
	/** The instructions of pieces of `code`; those without bytes are left out. */
	read(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>>;
	close?(): void;
}

/** The same with stamps that count from `startSeconds` of CLOCK_MONOTONIC; without any where one of the clocks is not known. */
export function onClock(source: CodeSource, startSeconds: number | null): CodeSource {
	const own = source.monotonic?.startSeconds ?? null;
	if (own === startSeconds) {
		return source;
	}
	const shift = own === null || startSeconds === null ? null : own - startSeconds;
	const originals = new Map(
		source.code.map((code) => [{ ...code, installedSeconds: shift === null || code.installedSeconds === null ? null : code.installedSeconds + shift }, code]),
	);
	return {
		...source,
		code: [...originals.keys()],
		async read(wanted) {
			const pieces = [...wanted].flatMap((code) => (originals.has(code) ? [[code, originals.get(code)!] as const] : []));
			const read = await source.read(pieces.map(([, original]) => original));
			return new Map(pieces.flatMap(([code, original]) => (read.has(original) ? [[code, read.get(original)!] as const] : [])));
		},
	};
}

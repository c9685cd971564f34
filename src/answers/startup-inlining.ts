/** How much of the code that a start-up runs was inlined into it, by the program's debug information, and what the compiler said of the largest calls. */
import { openDebugInformation } from '../formats/shared/dwarf/debug-information.js';
import type { StartupInlining } from '../join/joined-run.js';
import type { InlinedPart } from '../model/debug-information.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { FoundEvidence } from '../recording/find-evidence.js';
import { openLogFile } from '../recording/log-file.js';
import { openNativeNames } from '../recording/native-names.js';
import { zstdUnpacker } from '../recording/zstd-library.js';
import type { OpenedStartup, RanFunction } from './startup.js';

const MOST_PARTS = 3;
/** Of a start-up with more the largest functions are looked at. */
const MOST_FUNCTIONS = 5000;

interface Inlined {
	readonly ran: RanFunction;
	readonly parts: readonly InlinedPart[];
	readonly bytes: number;
}

/** null: there is no program, or it has no debug information. `log`: of remarks. */
export async function startupInlining(
	startup: OpenedStartup | null,
	files: FoundEvidence['files'],
	log: CompilationLog | null,
): Promise<StartupInlining | null> {
	const file = files.program.find(({ name }) => name === startup?.program?.file);
	if (startup === null || file === undefined || startup.program?.isElf !== true) {
		return null;
	}
	const { source } = await openLogFile(file);
	const information = openDebugInformation(
		source,
		() => null,
		() => {},
		await zstdUnpacker(),
	);
	if (information === null) {
		source.close();
		return null;
	}
	const largest = [...startup.ran].sort((a, b) => b.sizeBytes - a.sizeBytes).slice(0, MOST_FUNCTIONS);
	const inlined = largest.map((ran): Inlined => {
		const parts = information.inlinedInto(ran.start, ran.start + ran.sizeBytes);
		return { ran, parts, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
	});
	source.close();
	const [most] = [...inlined].sort((a, b) => b.bytes - a.bytes);
	return most === undefined
		? null
		: {
				functions: largest.length,
				codeBytes: largest.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
				inlinedBytes: inlined.reduce((sum, { bytes }) => sum + bytes, 0),
				most: mostOf(most, await openNativeNames(), log?.origin === 'remarks' ? log : null),
			};
}

function mostOf({ ran, parts, bytes }: Inlined, meaning: (symbol: string) => string, log: CompilationLog | null): StartupInlining['most'] {
	const method = meaning(ran.name);
	const compilation = log?.history.compilations.find((one) => one.method === method) ?? null;
	const decisions = compilation === null ? [] : (log?.readDecisions(compilation) ?? []);
	return {
		handle: compilation === null ? null : `c${compilation.compileId}`,
		function: method,
		codeBytes: ran.sizeBytes,
		inlinedBytes: bytes,
		parts: [...parts]
			.sort((a, b) => b.bytes - a.bytes)
			.slice(0, MOST_PARTS)
			.map(({ function: symbol, file, line, column, bytes: own }) => {
				const callee = symbol === null ? '?' : meaning(symbol);
				const place = `${file === null ? '?' : file.slice(file.lastIndexOf('/') + 1)}:${line}`;
				const decision = decisions.find((one) => one.inlined && one.callee === callee && one.place === `${place}:${column}`);
				return { callee, bytes: own, place, reason: decision?.reason ?? null };
			}),
	};
}

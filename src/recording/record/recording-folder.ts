/** The folder of a recording: made, cleared, its manifest written so that there is a whole one at any moment. */
import fs from 'node:fs';
import path from 'node:path';
import { SAFEPOINT_LOG_NAME } from '../../formats/registry.js';
import { InputError } from '../../model/problem.js';
import { MANIFEST_NAME, type RecordedFile, type RecordedFileKind, type RecordingManifest } from '../../model/recording-manifest.js';
import { asInputError } from '../file-source.js';
import { readHead } from '../read-head.js';

export const PERF_DATA = 'perf.data';
export const NATIVE_SYMBOLS = 'native-symbols.txt';

interface KnownFile {
	readonly name: RegExp;
	readonly kind: RecordedFileKind;
	readonly what: string;
}

const KNOWN_FILES: readonly KnownFile[] = [
	{ name: /^hotspot(?:-(?:pid)?\d+)?\.log$/, kind: 'jvm-log', what: 'log of the JVM: compilations and generated code' },
	{ name: /^agent-\d+\.bin$/, kind: 'agent-log', what: "generated code of a JVM, by assay's agent in it" },
	{ name: /^compilations-\d+\.jfr$/, kind: 'flight-recording', what: 'compilations and inlining of a JVM that was running, by Flight Recorder' },
	{
		name: /^recording(?:-\d+)?\.jfr$|^hotspot-pid-\d+-id-[\w-]+\.jfr$/,
		kind: 'flight-recording',
		what: 'samples, compilations and safepoints of a JVM, by Flight Recorder',
	},
	{ name: SAFEPOINT_LOG_NAME, kind: 'safepoint-log', what: 'safepoints of the JVM, and how long its threads took to stop' },
	{ name: /^hs_c\d+_pid\d+\.log$/, kind: 'compiler-log', what: 'notes of a compiler thread of a JVM that was killed, which are else in its log' },
	{ name: /^perf\.script\.txt$/, kind: 'perf-script', what: 'samples, as text of perf script' },
	{ name: /^native-symbols\.txt$/, kind: 'native-symbols', what: 'functions of native code that samples lie in' },
	{ name: /^perf\.data$/, kind: 'perf-data', what: 'samples, as perf wrote them' },
	{ name: /^async-profiler-(?:pid)?\d+\.collapsed$/, kind: 'async-profiler-collapsed', what: 'stacks with addresses, by async-profiler' },
	{ name: /^perf-\d+\.map$/, kind: 'perf-map', what: 'addresses and names of generated code, as a JVM and others write them for perf' },
	{ name: /^jit-\d+\.dump$/, kind: 'jitdump', what: 'code that a compiler made while the program ran, as Node and others write it for perf' },
	{ name: /^codelist\.txt$/, kind: 'code-list', what: 'code in the code cache, by jcmd Compiler.codelist' },
	{ name: /^vm-flags\.txt$/, kind: 'vm-flags', what: 'flags of the JVM, by jcmd VM.flags' },
	{ name: /^[^/]+\.[0-9a-f]{12}\.elf$/, kind: 'executable', what: 'an executable or a library that samples lie in, as it was when the program ran' },
	{ name: /^vm-command-line\.txt$/, kind: 'vm-command-line', what: 'command line of the JVM, by jcmd VM.command_line' },
];

/** Makes the folder. Throws an {@link InputError} when it cannot be, or holds something; `force` then removes an old recording in it. */
export function prepareFolder(folder: string, name: string, force: boolean): void {
	try {
		fs.mkdirSync(folder, { recursive: true });
		const entries = fs.readdirSync(folder);
		if (entries.length > 0 && !force) {
			throw new InputError({ severity: 'error', file: name, message: 'is not empty', action: 'name another folder with -o, or take --force' });
		}
		// Logs of another run would be read as if they belonged to this one.
		for (const entry of entries.filter((file) => file === MANIFEST_NAME || file === `${PERF_DATA}.old` || knownFile(file) !== undefined)) {
			fs.rmSync(path.join(folder, entry), { force: true });
		}
	} catch (error) {
		throw asInputError(error, name);
	}
}

/** Replaces the manifest in one step. */
export function writeManifest(folder: string, manifest: RecordingManifest): void {
	const temporary = path.join(folder, `.${MANIFEST_NAME}`);
	fs.writeFileSync(temporary, `${JSON.stringify(manifest, null, '\t')}\n`);
	fs.renameSync(temporary, path.join(folder, MANIFEST_NAME));
}

/** What was recorded, by name. */
export async function recordedFiles(folder: string): Promise<RecordedFile[]> {
	const files: RecordedFile[] = [];
	for (const name of fs.readdirSync(folder).sort()) {
		const known = knownFile(name);
		if (known !== undefined) {
			const { kind, what } = known;
			const sizeBytes = fs.statSync(path.join(folder, name)).size;
			const isNumbered = kind === 'agent-log' || kind === 'jitdump';
			const processId = kind === 'jvm-log' ? await loggingProcess(path.join(folder, name)) : isNumbered ? Number(/\d+/.exec(name)) : null;
			files.push({ name, kind, what, sizeBytes, ...(processId === null ? {} : { processId }) });
		}
	}
	return files;
}

function knownFile(name: string): KnownFile | undefined {
	return KNOWN_FILES.find((file) => file.name.test(name));
}

async function loggingProcess(file: string): Promise<number | null> {
	const [, processId] = /<hotspot_log [^>]{0,2000}process='(\d{1,10})'/.exec(await readHead(file, 1 << 12)) ?? [];
	return processId === undefined ? null : Number(processId);
}

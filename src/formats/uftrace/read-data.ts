/**
 * The folder that `uftrace record` writes (file version 4, uftrace 0.6 and later, 64 bit): `info` begins with a header; `task.txt` has tasks, forks and
 * sessions (a program that was started); `sid-ID.map` the memory of a session; `NAME.sym` the symbols of a module, addresses from its start; `TID.dat` records of
 * 16 bytes: nanoseconds, then type (2 bits: entry, exit, lost, event), whether more follows (1), the mark 5 (3), depth (10), address (48).
 */

import { forEachLine } from '../../bytes/lines.js';
import { readRange, type Source } from '../../bytes/source.js';
import { append } from '../../model/append.js';
import { firstWhere } from '../../model/binary-search.js';
import { FunctionTracesBuilder, type ReadTraces } from '../../model/function-trace.js';
import { InputError, type Problem } from '../../model/problem.js';

/** Files of the folder by name. */
export type UftraceFiles = ReadonlyMap<string, Source>;

const MAGIC = 'Ftrace!\0';
const VERSION = 4;
const HEADER_BYTES = 24;
const RECORD_BYTES = 16;
const CHUNK_BYTES = RECORD_BYTES << 15;
const MARK = 5;
const ENTRY = 0;
const LOST = 2;
const EVENT = 3;
/** Symbols are counted from the start of their module. */
const RELATIVE_SYMBOLS = 1n << 5n;

interface Session {
	readonly processId: number;
	readonly timeNs: bigint;
	readonly modules: readonly Module[];
}

interface Module {
	readonly start: number;
	readonly end: number;
	readonly symbols: readonly ModuleSymbol[];
}

interface ModuleSymbol {
	readonly address: number;
	readonly type: string;
	readonly name: string;
}

/** A call that was the first of its function in its task. */
interface FirstCall {
	readonly timeNs: bigint;
	readonly symbol: string;
}

export function isUftraceFolder(names: readonly string[]): boolean {
	return names.includes('info') && names.includes('task.txt');
}

/** A trace for each process, in the order of their first calls. Throws an {@link InputError} where the recording cannot be read. */
export function readUftraceData(folder: string, files: UftraceFiles): ReadTraces {
	const problems: Problem[] = [];
	const hasRelativeSymbols = readInfo(folder, files);
	const { processOf, sessions } = readTasks(folder, files, hasRelativeSymbols);
	const calls = new Map<number, FirstCall[]>();
	for (const [name, source] of files) {
		const [, task] = /^(\d+)\.dat$/.exec(name) ?? [];
		if (task === undefined) {
			continue;
		}
		const processId = processOf(Number(task));
		const ofProcess = sessions.filter((session) => session.processId === processId);
		const found = readTask(source, ofProcess, problems);
		const own = calls.get(processId) ?? [];
		append(own, found);
		calls.set(processId, own);
	}
	const byTime = (a: FirstCall, b: FirstCall): number => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0);
	const builder = new FunctionTracesBuilder();
	const processes = [...calls].filter(([, found]) => found.length > 0).map(([processId, found]) => ({ processId, found: found.sort(byTime) }));
	processes.sort((a, b) => byTime(a.found[0]!, b.found[0]!));
	for (const { processId, found } of processes) {
		builder.addTrace(
			processes.length === 1 ? folder : `${folder} process ${processId}`,
			1,
			found.map(({ symbol }) => builder.functionNumber({ symbol })),
		);
	}
	if (processes.length === 0) {
		problems.push({
			severity: 'warning',
			file: folder,
			message: 'holds no call of a known function',
			action: 'compile with -pg or -finstrument-functions, or record with -P .',
		});
	}
	return { ...builder.build(), problems };
}

/** Whether symbols are counted from the start of their module. */
function readInfo(folder: string, files: UftraceFiles): boolean {
	const source = files.get('info');
	const bytes = source === undefined ? new Uint8Array(0) : readRange(source, 0, HEADER_BYTES);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (bytes.length < HEADER_BYTES || String.fromCharCode(...bytes.subarray(0, 8)) !== MAGIC) {
		throw unusable(folder, 'has no info file of uftrace', 'record again, and let uftrace end by itself');
	}
	const [order, width] = [view.getUint8(14), view.getUint8(15)];
	const version = view.getUint32(8, true);
	if (order !== 1 || width !== 2) {
		throw unusable(folder, `was recorded on a ${order === 2 ? 'big-endian' : '32-bit'} machine`, 'print it there with uftrace dump and give the text');
	}
	if (version !== VERSION) {
		throw unusable(folder, `is a recording of version ${version}; known is ${VERSION}`, 'print it with uftrace dump and give the text');
	}
	return (view.getBigUint64(16, true) & RELATIVE_SYMBOLS) !== 0n;
}

interface Tasks {
	readonly processOf: (task: number) => number;
	/** A process that was forked has those of its parent until it has its own. */
	readonly sessions: readonly Session[];
}

function readTasks(folder: string, files: UftraceFiles, hasRelativeSymbols: boolean): Tasks {
	const source = files.get('task.txt');
	const processes = new Map<number, number>();
	const sessions: Session[] = [];
	if (source === undefined) {
		throw unusable(folder, 'has no task.txt', 'record again');
	}
	forEachLine(source, (line) => {
		const timeNs = nanoseconds(/ timestamp=(\d+\.\d+)/.exec(line)?.[1]);
		const field = (name: string): number => Number(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1] ?? -1);
		if (line.startsWith('TASK ')) {
			processes.set(field('tid'), field('pid'));
		} else if (line.startsWith('FORK ')) {
			const processId = field('pid');
			processes.set(processId, processId);
			sessions.push(...sessions.filter((session) => session.processId === field('ppid')).map((session) => ({ ...session, processId })));
		} else if (line.startsWith('SESS ')) {
			const id = / sid=(\w+)/.exec(line)?.[1] ?? '';
			sessions.push({ processId: field('pid'), timeNs, modules: readModules(files, id, hasRelativeSymbols) });
		}
	});
	return { processOf: (task) => processes.get(task) ?? task, sessions };
}

function nanoseconds(text: string | undefined): bigint {
	const [seconds = '0', rest = '0'] = (text ?? '').split('.');
	return BigInt(seconds || '0') * 1_000_000_000n + BigInt(rest.padEnd(9, '0').slice(0, 9));
}

/** `55b0-55b5 r-xp 00000000 00:00 0   /path/app build-id:a13c…` */
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+\s+(\/.*?)(?: build-id:([0-9a-f]+))?$/;

function readModules(files: UftraceFiles, session: string, hasRelativeSymbols: boolean): Module[] {
	const source = files.get(`sid-${session}.map`);
	const ranges = new Map<string, { start: number; end: number; buildId: string }>();
	if (source !== undefined) {
		forEachLine(source, (line) => {
			const [, start, end, path, buildId = ''] = MAPPING.exec(line) ?? [];
			if (start === undefined || end === undefined || path === undefined) {
				return;
			}
			const range = { start: Number.parseInt(start, 16), end: Number.parseInt(end, 16), buildId };
			const known = ranges.get(path);
			ranges.set(path, known === undefined ? range : { ...known, start: Math.min(known.start, range.start), end: Math.max(known.end, range.end) });
		});
	}
	return [...ranges].flatMap(([path, { start, end, buildId }]) => {
		const name = path.slice(path.lastIndexOf('/') + 1);
		// Of two modules of one name the second has the beginning of its build id in the name.
		const named = [...files.keys()].find((file) => buildId !== '' && file === `${name}-${buildId.slice(0, 4)}.sym`);
		const symbols = files.get(named ?? `${name}.sym`);
		return symbols === undefined ? [] : [{ start, end, symbols: readSymbols(symbols, hasRelativeSymbols ? start : 0) }];
	});
}

/** `0000000000001213 T main`, since 0.15 with the size after the address. */
const SYMBOL = /^([0-9a-f]{1,16})(?: +[0-9a-f]{2,16})? (\S) (.+)$/;

function readSymbols(source: Source, start: number): ModuleSymbol[] {
	const symbols: ModuleSymbol[] = [];
	forEachLine(source, (line) => {
		const [, address, type, name] = SYMBOL.exec(line) ?? [];
		if (address !== undefined && type !== undefined && name !== undefined) {
			symbols.push({ address: Number.parseInt(address, 16) + start, type, name });
		}
	});
	return symbols.sort((a, b) => a.address - b.address);
}

function readTask(source: Source, sessions: readonly Session[], problems: Problem[]): FirstCall[] {
	const found: FirstCall[] = [];
	const known = new Set<string>();
	let position = 0;
	let lost = 0;
	while (position + RECORD_BYTES <= source.sizeBytes) {
		const bytes = readRange(source, position, position + CHUNK_BYTES);
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		let at = 0;
		for (; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
			const low = view.getUint16(at + 8, true);
			const type = low & 3;
			const hasMore = (low & 4) !== 0;
			if (((low >> 3) & 7) !== MARK) {
				throw damaged(source, position + at, 'expected a record');
			}
			if (hasMore && type === EVENT) {
				// A length, then as many bytes, filled up to eight.
				const hasLength = at + RECORD_BYTES + 2 <= bytes.length;
				if (!hasLength && position + bytes.length < source.sizeBytes) {
					break; // It stands in the next chunk: the record is read again with it.
				}
				const length = hasLength ? view.getUint16(at + RECORD_BYTES, true) : 0;
				at += Math.ceil((length + 2) / 8) * 8;
			} else if (hasMore) {
				throw unusable(source.name, 'holds arguments of functions', 'print the recording with uftrace dump --demangle=no and give the text');
			} else if (type === LOST) {
				lost++;
			} else if (type === ENTRY) {
				const timeNs = view.getBigUint64(at, true);
				const address = view.getUint32(at + 12, true) * 0x10000 + view.getUint16(at + 10, true);
				const symbol = symbolAt(sessions, timeNs, address);
				if (symbol !== null && !known.has(symbol)) {
					known.add(symbol);
					found.push({ timeNs, symbol });
				}
			}
		}
		position += at;
	}
	if (position < source.sizeBytes) {
		problems.push({ severity: 'error', file: source.name, offsetBytes: position, message: 'ends within a record', action: 'the records before that are used' });
	}
	if (lost > 0) {
		problems.push({
			severity: 'error',
			file: source.name,
			message: `uftrace lost records in ${lost} places`,
			action: 'functions may be missing; record with a larger buffer (-b)',
		});
	}
	return found;
}

/** The function of the program at an address; null of the PLT and where there is none. */
function symbolAt(sessions: readonly Session[], timeNs: bigint, address: number): string | null {
	const session = sessions.findLast((one) => one.timeNs <= timeNs) ?? sessions[0];
	const symbols = session?.modules.find(({ start, end }) => address >= start && address < end)?.symbols ?? [];
	const { type = '?', name = '' } = symbols[firstWhere(symbols.length, (i) => symbols[i]!.address > address) - 1] ?? {};
	return /[TtWwVvIiUu]/.test(type) ? name : null;
}

function damaged(source: Source, offsetBytes: number, message: string): InputError {
	return new InputError({
		severity: 'error',
		file: source.name,
		offsetBytes,
		message: `is damaged: ${message}`,
		action: 'nothing of the recording is used; record again',
	});
}

function unusable(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}

/**
 * Which functions an address belongs to by a program's debug information: the chain of inlining, each with the line that it is at. The rules are those of LLVM's
 * DIContext (DWARFContext::getInliningInfoForAddress), which llvm-symbolizer prints. Units are read when an address of theirs is looked up.
 */
import type { Source } from '../../../bytes/source.js';
import { lastAtOrBelow } from '../../../model/binary-search.js';
import type { ChainFrame, DebugInformation, InlinedPart } from '../../../model/debug-information.js';
import { At, Tag } from './constants.js';
import { Cursor, DwarfError } from './cursor.js';
import { holds, originOf, readFunctions, type Scope } from './functions.js';
import { type LineTable, readLineTable } from './line-table.js';
import { packagedSections } from './package.js';
import { bytesWithin, rangesOf } from './ranges.js';
import { type DebugSections, debugSections, type UnpackZstd } from './sections.js';
import { addressOf, type Entry, readEntry, readUnits, textOf, type Unit, type Value } from './unit.js';

/** The parts of split debug information: the file of that name, null where it is not found. */
export type OpenSplit = (name: string, compilationFolder: string) => Source | null;

const MOST_ORIGINS = 16;
const isUnit = (tag: number): boolean => tag === Tag.CompileUnit || tag === Tag.PartialUnit || tag === Tag.SkeletonUnit;

/** A unit and what was read of it. */
interface OpenUnit {
	readonly unit: Unit;
	readonly values: ReadonlyMap<number, Value>;
	readonly base: number;
	readonly folder: string;
	/** null: not looked at yet, or damaged. */
	contents: UnitContents | null;
}

interface UnitContents {
	readonly lines: LineTable | null;
	/** The unit whose entries they are: another one where they are split off. */
	readonly unit: Unit;
	readonly functions: readonly Scope[];
	readonly starts: Float64Array;
	readonly ends: Float64Array;
	/** Of each range its function. */
	readonly of: readonly number[];
}

/** null where a file has no debug information. Never throws on content; what is damaged is told by `onDamage`. */
export function openDebugInformation(
	source: Source,
	openSplit: OpenSplit,
	onDamage: (message: string) => void,
	unpackZstd: UnpackZstd | null = null,
	openPackage: () => Source | null = () => null,
): DebugInformation | null {
	const sections = debugSections(source, unpackZstd);
	if (sections === null) {
		return null;
	}
	if (sections.section('info').length === 0) {
		for (const name of sections.unread) {
			onDamage(`${name} is compressed in a way that is not read`);
		}
		return null;
	}
	return new ProgramInformation(sections, openSplit, onDamage, unpackZstd, openPackage);
}

class ProgramInformation implements DebugInformation {
	private readonly openSplit: OpenSplit;
	private readonly unpackZstd: UnpackZstd | null;
	private readonly openPackage: () => Source | null;
	/** undefined: not looked for yet. */
	private package: DebugSections | null | undefined;
	private readonly onDamage: (message: string) => void;
	private readonly units: OpenUnit[] = [];
	/** Ranges of units, by their starts. */
	private readonly starts: Float64Array;
	private readonly ends: Float64Array;
	private readonly of: readonly OpenUnit[];
	private readonly names = new Map<DebugSections, Map<number, string | null>>();
	private readonly allUnits = new Map<DebugSections, readonly Unit[]>();
	readonly producers: readonly string[];

	constructor(
		sections: DebugSections,
		openSplit: OpenSplit,
		onDamage: (message: string) => void,
		unpackZstd: UnpackZstd | null,
		openPackage: () => Source | null,
	) {
		this.unpackZstd = unpackZstd;
		this.openPackage = openPackage;
		this.openSplit = openSplit;
		this.onDamage = onDamage;
		const ranges: { start: number; end: number; unit: OpenUnit }[] = [];
		const producers = new Set<string>();
		const all = readUnits(sections, onDamage);
		this.allUnits.set(sections, all);
		for (const unit of all) {
			this.guarded(() => {
				const root = rootOf(unit);
				if (root === null || !isUnit(root.tag)) {
					return;
				}
				setBases(unit, root);
				const base = addressOf(unit, root.values.get(At.LowPc)) ?? 0;
				const open: OpenUnit = { unit, values: root.values, base, folder: textOf(unit, root.values.get(At.CompDir)) ?? '', contents: null };
				this.units.push(open);
				producers.add(textOf(unit, root.values.get(At.Producer)) ?? '');
				let own = rangesOf(unit, root.values, base);
				if (own.length === 0 && !root.values.has(At.LowPc)) {
					own = readFunctions(unit, base).flatMap((scope) => scope.ranges);
				}
				for (let i = 0; i < own.length; i += 2) {
					ranges.push({ start: own[i]!, end: own[i + 1]!, unit: open });
				}
			});
		}
		// Functions that the linker threw away lie at 0.
		const sorted = ranges.filter(({ start }) => start > 0).sort((a, b) => a.start - b.start);
		this.starts = Float64Array.from(sorted, ({ start }) => start);
		this.ends = Float64Array.from(sorted, ({ end }) => end);
		this.of = sorted.map(({ unit }) => unit);
		producers.delete('');
		this.producers = [...producers];
	}

	chainAt(address: number): readonly ChainFrame[] {
		const at = lastAtOrBelow(this.starts, address);
		const open = this.of[at];
		if (open === undefined || address >= this.ends[at]!) {
			return [];
		}
		return this.guarded(() => this.chainIn(open, address)) ?? [];
	}

	inlinedInto(start: number, end: number): readonly InlinedPart[] {
		const at = lastAtOrBelow(this.starts, start);
		const open = this.of[at];
		if (open === undefined || start >= this.ends[at]!) {
			return [];
		}
		const read = (): InlinedPart[] => {
			open.contents ??= this.contentsOf(open);
			const { lines, unit, functions } = open.contents;
			const own = functions.filter(({ ranges }) => holds(ranges, start));
			return own.flatMap(({ inlined }) =>
				inlined.map(({ origin, ranges, callFile, callLine, callColumn }) => ({
					function: this.nameAt(unit, origin),
					file: lines?.fileName(callFile) ?? null,
					line: callLine,
					column: callColumn,
					bytes: bytesWithin(ranges, start, end),
				})),
			);
		};
		return this.guarded(read) ?? [];
	}

	/** Damage ends what is read, not the program. */
	private guarded<T>(read: () => T): T | null {
		try {
			return read();
		} catch (error) {
			if (!(error instanceof DwarfError)) {
				throw error;
			}
			this.onDamage(error.message);
			return null;
		}
	}

	private chainIn(open: OpenUnit, address: number): ChainFrame[] {
		open.contents ??= this.contentsOf(open);
		const { lines, unit, functions, starts, ends, of } = open.contents;
		const line = lines?.at(address) ?? null;
		const file = line === null ? null : (lines?.fileName(line.file) ?? null);
		const innermost = { file, line: line?.line ?? 0, column: line?.column ?? 0 };
		let at = lastAtOrBelow(starts, address);
		while (at >= 0 && address >= ends[at]!) {
			// Ranges of functions do not lie in each other, but damaged ones may.
			at = at > 0 && starts[at] === starts[at - 1] ? at - 1 : -1;
		}
		if (at < 0) {
			return line === null ? [] : [{ function: null, ...innermost }];
		}
		const chain: Scope[] = [];
		for (let scope: Scope | undefined = functions[of[at]!]; scope !== undefined; scope = scope.inlined.find(({ ranges }) => holds(ranges, address))) {
			chain.push(scope);
		}
		const frames: ChainFrame[] = [];
		let place: Omit<ChainFrame, 'function'> = innermost;
		for (const scope of chain.reverse()) {
			frames.push({ function: this.nameAt(unit, scope.origin), ...place });
			place = { file: lines?.fileName(scope.callFile) ?? null, line: scope.callLine, column: scope.callColumn };
		}
		return frames;
	}

	private contentsOf({ unit, values, base, folder }: OpenUnit): UnitContents {
		const list = values.get(At.StmtList);
		const lines = list === undefined ? null : this.guarded(() => readLineTable(unit.sections, list.number, unit.addressBytes, folder));
		const split = this.guarded(() => this.splitUnit(unit, values, folder));
		const own = split ?? unit;
		const functions = this.guarded(() => readFunctions(own, base)) ?? [];
		const ranges = functions
			.flatMap((scope, of) => {
				const result: { start: number; end: number; of: number }[] = [];
				for (let i = 0; i < scope.ranges.length; i += 2) {
					result.push({ start: scope.ranges[i]!, end: scope.ranges[i + 1]!, of });
				}
				return result;
			})
			.sort((a, b) => a.start - b.start);
		return {
			lines,
			unit: own,
			functions,
			starts: Float64Array.from(ranges, ({ start }) => start),
			ends: Float64Array.from(ranges, ({ end }) => end),
			of: ranges.map(({ of }) => of),
		};
	}

	/** The unit of a `.dwo` file that a skeleton stands for. */
	private splitUnit(skeleton: Unit, values: ReadonlyMap<number, Value>, folder: string): Unit | null {
		const name = textOf(skeleton, values.get(At.DwoName) ?? values.get(At.GnuDwoName));
		if (name === null) {
			return null;
		}
		const id = skeleton.dwoId ?? values.get(At.GnuDwoId)?.number ?? null;
		const source = this.openSplit(name, folder);
		const sections = source === null ? this.packaged(id) : debugSections(source, this.unpackZstd);
		const units = sections === null ? [] : readUnits(sections, this.onDamage);
		const unit = units.find((one) => one.dwoId === id || one.version < 5);
		if (sections === null || unit === undefined) {
			this.onDamage(`${name}, the rest of its debug information, is not there`);
			return null;
		}
		unit.addresses = skeleton.sections;
		unit.addressBase = skeleton.addressBase;
		if (unit.version < 5) {
			unit.rangesBase = skeleton.splitRangesBase;
		}
		this.allUnits.set(sections, units);
		return unit;
	}

	private packaged(id: number | null): DebugSections | null {
		if (this.package === undefined) {
			const source = this.openPackage();
			this.package = source === null ? null : debugSections(source, this.unpackZstd);
		}
		return this.package === null || id === null ? null : packagedSections(this.package, id);
	}

	/** The linkage name, else the name, of a function: its own, or that of what it refers to. */
	private nameAt(unit: Unit, offset: number): string | null {
		let known = this.names.get(unit.sections);
		if (known === undefined) {
			known = new Map();
			this.names.set(unit.sections, known);
		}
		let name = known.get(offset);
		if (name === undefined) {
			name = this.guarded(() => this.readName(unit, offset));
			known.set(offset, name);
		}
		return name;
	}

	private readName(start: Unit, offset: number): string | null {
		let unit: Unit | undefined = start;
		let plain: string | null = null;
		for (let at: number | null = offset, steps = 0; at !== null && steps < MOST_ORIGINS; steps++) {
			const where: number = at;
			if (unit === undefined || where < unit.offset || where >= unit.end) {
				unit = this.allUnits.get(start.sections)?.find((one) => where >= one.offset && where < one.end);
			}
			if (unit === undefined) {
				break;
			}
			if (unit !== start) {
				const root = rootOf(unit);
				if (root !== null) {
					setBases(unit, root);
				}
			}
			const entry: Entry | null = readEntry(unit, new Cursor(unit.sections.section('info'), unit.sections.isLittle, where), () => true);
			if (entry === null) {
				break;
			}
			const linkage = textOf(unit, entry.values.get(At.LinkageName) ?? entry.values.get(At.MipsLinkageName));
			if (linkage !== null) {
				return linkage;
			}
			plain ??= textOf(unit, entry.values.get(At.Name));
			at = originOf(unit, entry);
		}
		return plain;
	}
}

function rootOf(unit: Unit): Entry | null {
	return readEntry(unit, new Cursor(unit.sections.section('info'), unit.sections.isLittle, unit.firstEntry), () => true);
}

/** What the indices of its entries are counted from. */
function setBases(unit: Unit, { values }: Entry): void {
	unit.stringBase = values.get(At.StrOffsetsBase)?.number ?? unit.stringBase;
	unit.addressBase = values.get(At.AddrBase)?.number ?? values.get(At.GnuAddrBase)?.number ?? unit.addressBase;
	unit.rangesBase = values.get(At.RnglistsBase)?.number ?? unit.rangesBase;
	unit.splitRangesBase = values.get(At.GnuRangesBase)?.number ?? 0;
}

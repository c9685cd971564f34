/** Dumps of assay's runtime with the maps of their builds: numbers become functions. A dump of another build is refused. */
import { type FunctionTraces, FunctionTracesBuilder } from '../model/function-trace.js';
import { type OrderDump, whyOfAnotherBuild } from '../model/order-dump.js';
import { isLocalLinkage, type OrderMap } from '../model/order-map.js';
import { InputError, type Problem } from '../model/problem.js';

/** What is to be done about a dump of several that no map is of. */
export const LEFT_OUT = 'it is left out; give its map too: --map MAP.json';

export interface NamedOrderMap {
	/** The file, as the user named it. */
	readonly name: string;
	readonly map: OrderMap;
}

export interface DumpTraces extends FunctionTraces {
	readonly problems: readonly Problem[];
	/** Entries that the buffers could not keep, or of which nothing was written. */
	readonly lostEntries: number;
}

/**
 * A trace for each dump of the file `file`. Of several, an executable's and its shared libraries', those that no map is of are left out. Throws an
 * {@link InputError} when no map is of the build of any.
 */
export function tracesOfDumps(file: string, dumps: readonly OrderDump[], maps: readonly NamedOrderMap[]): DumpTraces {
	const builder = new FunctionTracesBuilder();
	const problems: Problem[] = [];
	let lostEntries = 0;
	const found = dumps.map((dump) => mapOf(dump, file, maps));
	const failed = found.find((map) => map instanceof InputError);
	if (failed !== undefined && found.every((map) => map instanceof InputError)) {
		throw failed;
	}
	dumps.forEach((dump, i) => {
		const name = dumps.length === 1 ? file : `${file} dump ${i}`;
		const map = found[i]!;
		if (map instanceof InputError) {
			problems.push({
				...map.problem,
				severity: 'warning',
				message: `dump ${i}: ${map.problem.message}`,
				action: LEFT_OUT,
			});
			return;
		}
		builder.addTrace(name, 1, orderOf(dump, map, builder));
		lostEntries += dump.lostEntries + dump.unwrittenEntries;
		problems.push(...problemsOf(dump, name));
	});
	return { ...builder.build(), problems, lostEntries };
}

function mapOf(dump: OrderDump, file: string, maps: readonly NamedOrderMap[]): OrderMap | InputError {
	const reasons: string[] = [];
	for (const { name, map } of maps) {
		const reason = whyOfAnotherBuild(dump, map);
		if (reason === null) {
			return map;
		}
		reasons.push(`${name}: ${reason}`);
	}
	return new InputError({
		severity: 'error',
		file,
		message: reasons.length === 0 ? 'is a dump of assay, and needs the map of its build' : `the dump is of another build than the map (${reasons.join('; ')})`,
		action: 'give the map that assay order instrument or cc wrote for this program, or the program that cc linked: --map MAP.json',
	});
}

function orderOf({ moduleIds, functionIds }: OrderDump, map: OrderMap, builder: FunctionTracesBuilder): number[] {
	const modules = new Map(map.modules.map((module) => [module.id, module]));
	const order: number[] = [];
	for (let i = 0; i < moduleIds.length; i++) {
		const module = modules.get(moduleIds[i]!);
		const found = module?.functions[functionIds[i]!];
		if (module !== undefined && found !== undefined) {
			const { symbol, linkage, file, line } = found;
			const { name, isMachO = false } = module;
			order.push(builder.functionNumber({ symbol, module: name, isLocal: isLocalLinkage(linkage), file, line, isMachO }));
		}
	}
	return order;
}

function problemsOf({ lostEntries, unwrittenEntries, loggedEntries, capacityEntries, isRing }: OrderDump, file: string): Problem[] {
	const problems: Problem[] = [];
	if (lostEntries > 0) {
		problems.push({
			severity: 'warning',
			file,
			message: `the buffer holds ${capacityEntries} entries and ${loggedEntries} were logged: the ${isRing ? 'first' : 'last'} ${lostEntries} are lost`,
			action: `the others are given; instrument with --buffer-entries ${loggedEntries} or more${isRing ? ', or without --ring' : ''}`,
		});
	}
	if (unwrittenEntries > 0) {
		problems.push({
			severity: 'warning',
			file,
			message: `${unwrittenEntries} entries were begun and not written: the program was killed, or a thread was just logging`,
			action: 'they are left out',
		});
	}
	return problems;
}

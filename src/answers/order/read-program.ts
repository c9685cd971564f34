/** A linked program, or the listing of one, as a layout of its code. */
import { readRange, type Source } from '../../bytes/source.js';
import { readBlockMap } from '../../formats/bb-addr-map/read.js';
import { isGnuMap, readGnuMap } from '../../formats/gnu-map/read.js';
import { isLd64Map, readLd64Map } from '../../formats/ld64-map/read.js';
import { isLldMap, readLldMap } from '../../formats/lld-map/read.js';
import { isMoldMap, readMoldMap } from '../../formats/mold-map/read.js';
import { isNmListing, readNmListing } from '../../formats/nm-listing/read.js';
import { isReadelfListing, readReadelfListing } from '../../formats/readelf-listing/read.js';
import { debugNames, isElf, readElfSymbols } from '../../formats/shared/elf/read-symbols.js';
import { InputError, type Problem } from '../../model/problem.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import type { TextLayout } from '../../model/text-layout.js';
import { type LogFile, openLogFile } from '../../recording/log-file.js';
import { inferLayout } from '../../startup/infer-layout.js';
import { layoutBlocks } from '../../startup/layout-blocks.js';

const HEAD_BYTES = 1 << 16;

export interface ReadProgram {
	readonly layout: TextLayout;
	readonly isElf: boolean;
	/** Those of the names that were asked for which its debug information has; null where it has none, or nobody asked. */
	readonly debugNames: ReadonlySet<string> | null;
	readonly problems: readonly Problem[];
}

/**
 * ELF, or the listing of nm, readelf or a linker; `name` is what the layout is called. Throws an {@link InputError} when the file is none of these, or holds no code.
 */
export async function readProgram(file: LogFile, name: string, names: (() => ReadonlySet<string>) | null = null): Promise<ReadProgram> {
	const opened = await openLogFile(file);
	const { source } = opened;
	try {
		const head = Buffer.from(readRange(source, 0, HEAD_BYTES)).toString('latin1');
		const { table, problems } = readTable(source, head);
		const layout = inferLayout(table, name);
		if (layout.functionNames.length === 0) {
			throw new InputError({ severity: 'error', file: file.name, message: 'holds no code that an order file could move', action: 'give a linked program' });
		}
		const blocks = isElf(head) ? readBlockMap(source) : null;
		const told = blocks === null || blocks.map === null ? null : layoutBlocks(blocks.map, layout);
		return {
			layout: told === null ? layout : { ...layout, blocks: told },
			isElf: isElf(head),
			debugNames: names !== null && isElf(head) ? debugNames(source, names()) : null,
			problems: [...opened.problems, ...problems, ...(blocks?.problems ?? [])],
		};
	} finally {
		source.close();
	}
}

function readTable(source: Source, head: string): { table: SymbolTable; problems: Problem[] } {
	if (isElf(head)) {
		return readElfSymbols(source);
	}
	if (isLldMap(head)) {
		return readLldMap(source);
	}
	if (isMoldMap(head)) {
		return readMoldMap(source);
	}
	if (isGnuMap(head)) {
		return readGnuMap(source);
	}
	if (isLd64Map(head)) {
		return readLd64Map(source);
	}
	if (isReadelfListing(head)) {
		return readReadelfListing(source);
	}
	if (isNmListing(head)) {
		return readNmListing(source);
	}
	throw new InputError({
		severity: 'error',
		file: source.name,
		message: 'is neither an ELF file nor the listing of one',
		action: 'give a linked program, or the output of nm -n --print-size, of readelf -SsW, or the map of a linker (lld, ld64.lld, mold, gold, GNU ld)',
	});
}

/** Which pages of a layout a trace touches. */
import type { TextLayout } from '../model/text-layout.js';
import { FIRST_FUNCTIONS, PAGE_BODY, PAGE_TOUCHED, type PageCounts, type PageMap, WINDOW_BYTES } from './results.js';
import type { LaidTrace } from './trace-on-layout.js';

/** Pages that a trace touches in a layout, counted in several ways, and the map of them. */
export function countPages(layout: TextLayout, trace: LaidTrace): { counts: PageCounts; map: PageMap } {
	const { firstPage, pageCount } = textPages(layout);
	const { functionSections, functionOffsets, functionSizes, sectionStarts, pageBytes } = layout;
	const entry = new Uint8Array(pageCount);
	const whole = new Uint8Array(pageCount);
	const pageOf = (address: number): number => Math.min(pageCount - 1, Math.max(0, Math.floor(address / pageBytes) - firstPage));
	const startOf = (f: number): number => sectionStarts[functionSections[f]!]! + functionOffsets[f]!;
	let area = 0;
	let entryPages = 0;
	const newPageAt: number[] = [];
	const touchedAt = new Int32Array(pageCount);
	/** Of each function that ran, from 1. */
	const ranAt = new Map<number, number>();
	const touch = (first: number, last: number, at: number): void => {
		for (let page = first; page <= last; page++) {
			if (touchedAt[page] === 0 || touchedAt[page]! > at) {
				touchedAt[page] = at;
			}
		}
	};
	trace.functions.forEach((f, i) => {
		const start = startOf(f);
		const page = pageOf(start);
		if (entry[page] === 0) {
			entry[page] = 1;
			entryPages++;
			newPageAt.push(i + 1);
		}
		area += entryPages;
		const last = pageOf(start + Math.max(1, functionSizes[f]!) - 1);
		whole.fill(1, page, last + 1);
		ranAt.set(f, i + 1);
		if (trace.ranges === null) {
			touch(page, last, i + 1);
		}
	});
	const { ranges } = trace;
	let touched = whole;
	if (ranges !== null) {
		touched = new Uint8Array(pageCount);
		for (let i = 0; i < ranges.functions.length; i++) {
			const start = startOf(ranges.functions[i]!);
			const [first, last] = [pageOf(start + ranges.starts[i]!), pageOf(start + ranges.ends[i]! - 1)];
			touched.fill(1, first, last + 1);
			touch(first, last, ranAt.get(ranges.functions[i]!) ?? trace.functions.length);
		}
	}
	const windows = new Set<number>();
	const pages = new Uint8Array(pageCount);
	for (let page = 0; page < pageCount; page++) {
		if (touched[page] === 1) {
			windows.add(Math.floor(((page + firstPage) * pageBytes) / WINDOW_BYTES));
			pages[page] = PAGE_TOUCHED;
		} else if (whole[page] === 1) {
			pages[page] = PAGE_BODY;
		}
	}
	const sum = (marks: Uint8Array): number => marks.reduce((total, mark) => total + mark, 0);
	return {
		counts: {
			textPages: pageCount,
			entryPages,
			execPages: ranges === null ? null : sum(touched),
			wholeFunctionPages: sum(whole),
			windows64k: windows.size,
			areaUnderCurve: area,
			...countCode(layout, trace, firstPage, touched),
		},
		map: {
			pageBytes,
			firstPage,
			pages,
			newPageAt: Int32Array.from(newPageAt),
			touchedAt,
			firstFunctions: Array.from(trace.functions.subarray(0, FIRST_FUNCTIONS), (f) => ({ name: layout.functionNames[f]!, page: pageOf(startOf(f)) })),
		},
	};
}

/** The same with what no order moves. `touched` are those that an order moves, from `firstPage` on. */
function countCode(
	{ code, pageBytes }: TextLayout,
	{ elsewhere }: LaidTrace,
	firstPage: number,
	touched: Uint8Array,
): Pick<PageCounts, 'codePages' | 'codeExecPages' | 'codeWindows64k'> {
	if (code.length === 0) {
		return { codePages: null, codeExecPages: null, codeWindows64k: null };
	}
	const all = new Set<number>();
	const addPages = (pages: Set<number>, start: number, end: number): void => {
		for (let page = Math.floor(start / pageBytes); page <= Math.floor((end - 1) / pageBytes); page++) {
			pages.add(page);
		}
	};
	for (const { address, sizeBytes } of code) {
		addPages(all, address, address + sizeBytes);
	}
	if (elsewhere === null) {
		return { codePages: all.size, codeExecPages: null, codeWindows64k: null };
	}
	const executed = new Set<number>();
	touched.forEach((mark, i) => {
		if (mark === 1) {
			executed.add(firstPage + i);
		}
	});
	elsewhere.sections.forEach((section, i) => {
		const { address } = code[section]!;
		addPages(executed, address + elsewhere.starts[i]!, address + elsewhere.ends[i]!);
	});
	const windows = new Set(Array.from(executed, (page) => Math.floor((page * pageBytes) / WINDOW_BYTES)));
	return { codePages: all.size, codeExecPages: executed.size, codeWindows64k: windows.size };
}

/** The pages from the first byte of the code to its last. */
function textPages({ pageBytes, regions, sectionStarts, sectionSizes }: TextLayout): { firstPage: number; pageCount: number } {
	let start = Number.POSITIVE_INFINITY;
	let end = 0;
	for (const region of regions) {
		start = Math.min(start, region.start);
		for (let section = region.firstSection; section < region.endSection; section++) {
			end = Math.max(end, sectionStarts[section]! + sectionSizes[section]!);
		}
	}
	if (regions.length === 0) {
		return { firstPage: 0, pageCount: 1 };
	}
	const firstPage = Math.floor(start / pageBytes);
	return { firstPage, pageCount: Math.max(1, Math.floor((end - 1) / pageBytes) - firstPage + 1) };
}

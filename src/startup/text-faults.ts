/** Which of a recording's page faults were for a program's code, and for which pages of it. */
import { type FaultRecording, mappingOf } from '../model/page-faults.js';
import type { TextLayout } from '../model/text-layout.js';
import { linkedAddress } from './linked-address.js';
import { PAGE_BYTES, type TextFaults, WINDOW_BYTES } from './results.js';

/** `isProgram` tells the program's own file among those that were mapped. */
export function textFaults({ faults, mappings }: FaultRecording, layout: TextLayout, isProgram: (file: string) => boolean): TextFaults {
	const { start, end } = textRange(layout);
	const pages: { page: number; isMajor: boolean }[] = [];
	let majorFaults = 0;
	for (const fault of faults) {
		const { address, isMajor } = fault;
		majorFaults += isMajor ? 1 : 0;
		const mapping = mappingOf(mappings, fault);
		const isOfCode = mapping?.isExecutable === true && isProgram(mapping.file);
		const at = isOfCode ? linkedAddress(address, mapping, layout.code) : null;
		// The first page may begin before the code.
		if (at !== null && at >= start - (start % PAGE_BYTES) && at < end) {
			pages.push({ page: Math.floor(at / PAGE_BYTES), isMajor });
		}
	}
	return {
		allFaults: faults.length,
		majorFaults,
		textFaults: pages.length,
		textMajorFaults: pages.filter(({ isMajor }) => isMajor).length,
		windows64k: new Set(pages.map(({ page }) => Math.floor((page * PAGE_BYTES) / WINDOW_BYTES))).size,
		pages: pages.map(({ page }) => page * PAGE_BYTES),
		isMapped: mappings.some(({ file }) => isProgram(file)),
	};
}

function textRange({ regions, sectionStarts, sectionSizes }: TextLayout): { start: number; end: number } {
	let start = Number.POSITIVE_INFINITY;
	let end = 0;
	for (const region of regions) {
		start = Math.min(start, region.start);
		for (let section = region.firstSection; section < region.endSection; section++) {
			end = Math.max(end, sectionStarts[section]! + sectionSizes[section]!);
		}
	}
	return { start, end };
}

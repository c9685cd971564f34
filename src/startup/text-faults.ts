/** Which of a recording's page faults were for a program's code, and for which pages of it. */
import { type FaultRecording, mappingOf, type PageFault } from '../model/page-faults.js';
import type { OutputSection } from '../model/symbol-table.js';
import type { TextLayout } from '../model/text-layout.js';
import { PAGE_BYTES, type TextFaults, WINDOW_BYTES } from './results.js';

/** `isProgram` tells the program's own file among those that were mapped. */
export function textFaults(
	{ faults, mappings }: FaultRecording,
	sections: readonly OutputSection[],
	layout: TextLayout,
	isProgram: (file: string) => boolean,
): TextFaults {
	const own = mappings.filter(({ file }) => isProgram(file));
	const code = sections.flatMap((section) => (section.isExecutable && section.fileOffset !== null ? [{ ...section, fileOffset: section.fileOffset }] : []));
	/** The address as linked; null outside of the program's code. */
	const linked = (fault: PageFault): number | null => {
		const { address } = fault;
		const mapping = mappingOf(mappings, fault);
		if (mapping === undefined || !isProgram(mapping.file)) {
			return null;
		}
		const offset = address - mapping.start + mapping.fileOffset;
		// The first page may begin before the code: what is touched there is what a fault brings in.
		const section = code.find((one) => {
			const start = one.fileOffset;
			return mapping.isExecutable && offset >= start - (start % PAGE_BYTES) && offset < start + one.sizeBytes;
		});
		return section === undefined ? null : offset - section.fileOffset + section.address;
	};
	const { start, end } = textRange(layout);
	const pages: { page: number; isMajor: boolean }[] = [];
	let majorFaults = 0;
	for (const fault of faults) {
		const { isMajor } = fault;
		majorFaults += isMajor ? 1 : 0;
		const at = linked(fault);
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
		isMapped: own.length > 0,
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

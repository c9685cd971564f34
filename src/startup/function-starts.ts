import type { TextLayout } from '../model/text-layout.js';

/** Start addresses of all functions of a layout. */
export function functionStarts({ functionSections, functionOffsets, sectionStarts }: TextLayout): Float64Array {
	return functionOffsets.map((offset, i) => offset + sectionStarts[functionSections[i]!]!);
}

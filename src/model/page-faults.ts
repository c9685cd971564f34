/** Page faults of a process as the kernel reported them, with what was mapped where. */

export interface PageFault {
	readonly processId: number;
	readonly address: number;
	/** Something had to be read from a disk. */
	readonly isMajor: boolean;
	/** How many of the recording's mappings there were by then; all where it is left out. */
	readonly mappingsBefore?: number;
}

/** A part of a file in the memory of a process. */
export interface FileMapping {
	readonly processId: number;
	readonly start: number;
	readonly sizeBytes: number;
	readonly fileOffset: number;
	readonly isExecutable: boolean;
	/** Left out where it is not told. */
	readonly isWritable?: boolean;
	readonly file: string;
}

export interface FaultRecording {
	/** In the order in which they happened. */
	readonly faults: readonly PageFault[];
	readonly mappings: readonly FileMapping[];
}

/** What was mapped at the address of a fault: what came later lies over what was there. */
export function mappingOf(mappings: readonly FileMapping[], { processId, address, mappingsBefore = mappings.length }: PageFault): FileMapping | undefined {
	for (let i = mappingsBefore - 1; i >= 0; i--) {
		const one = mappings[i]!;
		if (one.processId === processId && address >= one.start && address < one.start + one.sizeBytes) {
			return one;
		}
	}
	return undefined;
}

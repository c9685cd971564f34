/** Page faults of a process as the kernel reported them, with what was mapped where. */

export interface PageFault {
	readonly processId: number;
	readonly address: number;
	/** Something had to be read from a disk. */
	readonly isMajor: boolean;
}

/** A part of a file in the memory of a process. */
export interface FileMapping {
	readonly processId: number;
	readonly start: number;
	readonly sizeBytes: number;
	readonly fileOffset: number;
	readonly isExecutable: boolean;
	readonly file: string;
}

export interface FaultRecording {
	/** In the order in which they happened. */
	readonly faults: readonly PageFault[];
	readonly mappings: readonly FileMapping[];
}

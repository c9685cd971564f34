/** How far a long job is, for whoever watches. */

export interface Progress {
	report(text: string): void;
	/** The same from a loop; lets signals through from time to time. */
	step(text: string): Promise<void>;
	end(): void;
}

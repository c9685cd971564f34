/** Columns of code that are made of something smaller: those that were asked for last are kept, so that memory does not grow with the code that is looked at. */

/** Columns that can be made again. */
export interface Remakable {
	readonly sizeBytes: number;
	forget(): void;
}

export class RecentColumns {
	private kept: Remakable[] = [];
	/** Those before it were forgotten. */
	private first = 0;
	private bytes = 0;
	private readonly mostBytes: number;

	/** The newest is kept however large it is. */
	constructor(mostBytes: number) {
		this.mostBytes = mostBytes;
	}

	/** Of what was just made: whatever was made first is forgotten for it, where there is no room. */
	keep(made: Remakable): void {
		this.kept.push(made);
		this.bytes += made.sizeBytes;
		while (this.bytes > this.mostBytes && this.first + 1 < this.kept.length) {
			const oldest = this.kept[this.first++]!;
			this.bytes -= oldest.sizeBytes;
			oldest.forget();
		}
		if (this.first > this.kept.length / 2) {
			this.kept = this.kept.slice(this.first);
			this.first = 0;
		}
	}
}

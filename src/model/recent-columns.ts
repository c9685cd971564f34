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

/** What was made of objects last; of those that were let go it is made again. Keeps none of the objects. */
export class RecentlyMade<K extends object, V> {
	private readonly known = new WeakMap<K, { made: V | null }>();
	private readonly recent: RecentColumns;
	private readonly make: (of: K) => V;
	private readonly sizeOf: (made: V) => number;

	/** `sizeOf`: in bytes. */
	constructor(mostBytes: number, make: (of: K) => V, sizeOf: (made: V) => number) {
		this.recent = new RecentColumns(mostBytes);
		this.make = make;
		this.sizeOf = sizeOf;
	}

	of(object: K): V {
		const known = this.known.get(object)?.made ?? null;
		if (known !== null) {
			return known;
		}
		const made = this.make(object);
		const kept: { made: V | null } = { made };
		this.known.set(object, kept);
		this.recent.keep({
			sizeBytes: this.sizeOf(made),
			forget() {
				kept.made = null;
			},
		});
		return made;
	}
}

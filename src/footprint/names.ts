/** Names by number. A bound keeps a stream of ever new names from filling memory: beyond it all are one. */
const MAX_NAMES = 65_536;
const OTHER = '(further names)';

export class Names {
	readonly list: string[] = [];
	private readonly numbers = new Map<string, number>();

	constructor(known: readonly string[] = []) {
		for (const name of known) {
			this.list.push(name);
		}
	}

	number(name: string): number {
		const known = this.numbers.get(name);
		if (known !== undefined) {
			return known;
		}
		if (this.numbers.size >= MAX_NAMES) {
			return name === OTHER ? this.add(OTHER) : this.number(OTHER);
		}
		return this.add(name);
	}

	private add(name: string): number {
		const number = this.list.push(name) - 1;
		this.numbers.set(name, number);
		return number;
	}
}

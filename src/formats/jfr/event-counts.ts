/**
 * Per type of event, by its number: how many there are, and whether they are only counted. Asked for each event, most of which nobody reads. The numbers are
 * small where a JVM wrote them: it has some two hundred kinds of events and a thousand other types.
 */
const SMALL = 4096;

export class EventCounts {
	private readonly small = new Float64Array(SMALL);
	private readonly others = new Map<number, number>();
	private readonly inOrder: number[] = [];

	add(typeId: number): void {
		const isSmall = typeId >= 0 && typeId < SMALL;
		const count = isSmall ? this.small[typeId]! : (this.others.get(typeId) ?? 0);
		if (count === 0) {
			this.inOrder.push(typeId);
		}
		if (isSmall) {
			this.small[typeId] = count + 1;
		} else {
			this.others.set(typeId, count + 1);
		}
	}

	/** Types with events and how many, those first that came first. */
	entries(): [number, number][] {
		return this.inOrder.map((typeId) => [typeId, this.others.get(typeId) ?? this.small[typeId]!]);
	}
}

/** Tells types of small numbers that are in a set fast, and says no of all others. */
export function smallNumbers(typeIds: Iterable<number>): (typeId: number) => boolean {
	const isIn = new Uint8Array(SMALL);
	for (const typeId of typeIds) {
		if (typeId >= 0 && typeId < SMALL) {
			isIn[typeId] = 1;
		}
	}
	return (typeId) => isIn[typeId] === 1;
}

/** The N largest of very many, in bounded memory. Of equal ones the earlier is kept; the order is that in which they came. */
export class MostExpensive<T extends { readonly totalBytes: number }> {
	private readonly limit: number;
	private kept: { readonly item: T; readonly order: number }[] = [];
	private count = 0;

	constructor(limit: number) {
		this.limit = Math.max(1, limit);
	}

	add(item: T): void {
		this.kept.push({ item, order: this.count++ });
		if (this.kept.length >= 2 * this.limit) {
			this.shrink();
		}
	}

	/** In the order in which they were added. */
	list(): T[] {
		this.shrink();
		return this.kept.map(({ item }) => item);
	}

	/** How many were let go. */
	get omitted(): number {
		return this.count - Math.min(this.count, this.limit);
	}

	private shrink(): void {
		if (this.kept.length > this.limit) {
			this.kept.sort((a, b) => b.item.totalBytes - a.item.totalBytes || a.order - b.order);
			this.kept.length = this.limit;
			this.kept.sort((a, b) => a.order - b.order);
		}
	}
}

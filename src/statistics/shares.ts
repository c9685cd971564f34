/** What counts of samples say about shares: intervals, and differences. */

/** The normal distribution's quantile of 97.5 %: 95 % lie within so many deviations. */
const Z = 1.959964;

export interface Share {
	readonly percent: number;
	/** Limits of the 95 % interval. */
	readonly low: number;
	readonly high: number;
}

/** Wilson's score interval (1927) of `count` of `total`, in percent; all zero without samples. `z`: the quantile, of 95 % unless told. */
export function wilsonInterval(count: number, total: number, z = Z): Share {
	if (total <= 0) {
		return { percent: 0, low: 0, high: 0 };
	}
	const share = count / total;
	const square = (z * z) / total;
	const middle = (share + square / 2) / (1 + square);
	const half = (z * Math.sqrt((share * (1 - share)) / total + square / (4 * total))) / (1 + square);
	return { percent: 100 * share, low: 100 * Math.max(middle - half, 0), high: 100 * Math.min(middle + half, 1) };
}

/** Half the width of that interval, in percentage points. */
export function halfInterval(count: number, total: number): number {
	const { low, high } = wilsonInterval(count, total);
	return (high - low) / 2;
}

/** Whether two counts of one multinomial sample differ at 5 %: given their sum, each sample is of either with equal chance. */
export function countsDiffer(a: number, b: number): boolean {
	return (a - b) ** 2 > Z * Z * (a + b);
}

/** Percentage points from one share to another, with the limits of the 95 % interval. */
export interface ShareDifference {
	readonly points: number;
	readonly low: number;
	readonly high: number;
}

/** Newcombe's interval for the difference of two proportions (1998, method 10), from Wilson's intervals. */
export function shareDifference(countA: number, totalA: number, countB: number, totalB: number): ShareDifference {
	const a = wilsonInterval(countA, totalA);
	const b = wilsonInterval(countB, totalB);
	const points = b.percent - a.percent;
	return {
		points,
		low: points - Math.hypot(b.percent - b.low, a.high - a.percent),
		high: points + Math.hypot(b.high - b.percent, a.percent - a.low),
	};
}

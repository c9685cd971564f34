/** The order in which a java.util.HashMap gives its keys: some tables of JMH keep it for rows of equal counts. */

/** java.lang.String.hashCode. */
export function javaStringHash(text: string): number {
	let hash = 0;
	for (let i = 0; i < text.length; i++) {
		hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
	}
	return hash;
}

const FIRST_CAPACITY = 16;
const LOAD_FACTOR = 0.75;

/** Different keys, given as they were put in, in the order of iteration: by bucket, in a bucket as put in. */
export function inHashMapOrder<T>(keys: readonly T[], hash: (key: T) => number): T[] {
	let capacity = FIRST_CAPACITY;
	while (keys.length > capacity * LOAD_FACTOR) {
		capacity *= 2;
	}
	const bucket = (key: T): number => {
		const own = hash(key);
		return (own ^ (own >>> 16)) & (capacity - 1);
	};
	return keys
		.map((key) => ({ key, bucket: bucket(key) }))
		.sort((x, y) => x.bucket - y.bucket)
		.map(({ key }) => key);
}

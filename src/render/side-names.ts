/** Names of two sides that are compared, told apart: by the part of their paths that differs, else by their letters. */

/** `['good/rec', 'bad/rec']` of `/tmp/good/rec` and `/tmp/bad/rec`; `['A: rec', 'B: rec']` of twice the same. */
export function sideNames(a: string, b: string): [string, string] {
	const [ofA, ofB] = [partsOf(a), partsOf(b)];
	let common = 0;
	while (common < ofA.length - 1 && common < ofB.length - 1 && ofA[common] === ofB[common]) {
		common++;
	}
	const [nameA, nameB] = [ofA.slice(common).join('/'), ofB.slice(common).join('/')];
	return nameA === nameB ? [`A: ${nameA}`, `B: ${nameB}`] : [nameA, nameB];
}

function partsOf(path: string): string[] {
	const parts = path.split(/[\\/]/);
	while (parts.length > 1 && parts.at(-1) === '') {
		parts.pop();
	}
	return parts;
}

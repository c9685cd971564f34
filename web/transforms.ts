/** What is done to stacks before they are drawn, as in the Firefox Profiler: shares stay those of all samples. */

export const TRANSFORMS = ['focus', 'drop', 'merge', 'recursion'] as const;
export type TransformKind = (typeof TRANSFORMS)[number];

export interface Transform {
	readonly kind: TransformKind;
	/** Of the frames. */
	readonly name: string;
}

/** For people, with the name behind it. */
export const TRANSFORM_WORDS: Readonly<Record<TransformKind, string>> = {
	focus: 'only below',
	drop: 'without samples in',
	merge: 'merged into its callers:',
	recursion: 'recursion collapsed:',
};

export const TRANSFORM_KEYS: Readonly<Record<string, TransformKind>> = { f: 'focus', d: 'drop', m: 'merge', r: 'recursion' };

/** Of an address: a line each, as `focus:java.util.HashMap.merge`. */
export function parseTransforms(text: string | undefined): Transform[] {
	return (text ?? '').split('\n').flatMap((line) => {
		const kind = TRANSFORMS.find((one) => line.startsWith(`${one}:`));
		const name = kind === undefined ? '' : line.slice(kind.length + 1);
		return kind === undefined || name === '' ? [] : [{ kind, name }];
	});
}

export function formatTransforms(transforms: readonly Transform[]): string {
	return transforms.map(({ kind, name }) => `${kind}:${name}`).join('\n');
}

/** The frames, the outermost first, with all transforms in their order; null: the stack is not shown. */
export function transformedFrames(frames: readonly string[], transforms: readonly Transform[]): readonly string[] | null {
	let result: readonly string[] = frames;
	for (const { kind, name } of transforms) {
		const first = result.indexOf(name);
		if (first < 0) {
			if (kind === 'focus') {
				return null;
			}
			continue;
		}
		switch (kind) {
			case 'focus':
				result = result.slice(first);
				break;
			case 'drop':
				return null;
			case 'merge':
				result = result.filter((one) => one !== name);
				break;
			case 'recursion':
				result = [...result.slice(0, first), ...result.slice(result.lastIndexOf(name))];
				break;
		}
	}
	return result;
}

export function transformed<T extends { readonly frames: readonly string[] }>(stacks: readonly T[], transforms: readonly Transform[]): readonly T[] {
	return transforms.length === 0
		? stacks
		: stacks.flatMap((stack) => {
				const frames = transformedFrames(stack.frames, transforms);
				return frames === null ? [] : [{ ...stack, frames }];
			});
}

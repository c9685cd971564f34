/** A part of the page's data, read when a view wants it. */
import { useEffect, useState } from 'preact/hooks';
import { usePage } from './context.js';

/** undefined while it is read, null where there is none. */
export function usePart<T>(name: string | null): T | null | undefined {
	const { loaded } = usePage();
	const [value, setValue] = useState<T | null | undefined>(name === null ? null : undefined);
	useEffect(() => {
		if (name === null) {
			setValue(null);
			return;
		}
		let isGone = false;
		setValue(undefined);
		loaded.part<T>(name).then(
			(read) => !isGone && setValue(read),
			() => !isGone && setValue(null),
		);
		return () => {
			isGone = true;
		};
	}, [name]);
	return value;
}

/** A part of the page's data, read when a view wants it. */
import { useEffect, useState } from 'preact/hooks';
import type { Read } from '../data.js';
import { usePage } from './context.js';

/** undefined while it is read, null where there is none. */
export function usePart<T>(name: string | null): T | null | undefined {
	const { loaded } = usePage();
	return useRead<T | null>(name === null ? null : loaded.part<T>(name)).value;
}

/** What was read, or why it could not be; `read` is the same promise as long as it is the same thing. */
export function useRead<T>(read: Read<T>): { readonly value: T | null | undefined; readonly error: string | null } {
	const [late, setLate] = useState<{ readonly of: Read<T>; readonly value: T | null; readonly error: string | null } | null>(null);
	useEffect(() => {
		if (!(read instanceof Promise)) {
			return;
		}
		let isGone = false;
		read.then(
			(value) => !isGone && setLate({ of: read, value, error: null }),
			(reason: unknown) => !isGone && setLate({ of: read, value: null, error: String(reason) }),
		);
		return () => {
			isGone = true;
		};
	}, [read]);
	if (!(read instanceof Promise)) {
		return { value: read, error: null };
	}
	return late?.of === read ? late : { value: undefined, error: null };
}

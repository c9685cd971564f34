/** Sizes that change with the window. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

export function useWindowWidth(): number {
	const [width, setWidth] = useState(innerWidth);
	useEffect(() => {
		const read = (): void => setWidth(innerWidth);
		addEventListener('resize', read);
		return () => removeEventListener('resize', read);
	}, []);
	return width;
}

/** The width of an element's content, in CSS pixels. */
export function useWidthOf(element: RefObject<Element | null>): number {
	const [width, setWidth] = useState(0);
	useLayoutEffect(() => {
		if (element.current === null) {
			return;
		}
		const target = element.current;
		const observer = new ResizeObserver(() => setWidth(target.clientWidth));
		observer.observe(target);
		setWidth(target.clientWidth);
		return () => observer.disconnect();
	}, []);
	return width;
}

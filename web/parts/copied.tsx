/** Rows as text for the clipboard: what is cut on the screen is whole. */
import { type ComponentChildren, render } from 'preact';
import { Context, type PageContext } from './context.js';

/** More are not copied, and the text says so. */
export const MOST_COPIED = 20_000;

/** What somebody would read of an element, names in full. */
function textOf(node: Node): string {
	if (node.nodeType === Node.TEXT_NODE) {
		return node.textContent ?? '';
	}
	if (!(node instanceof Element) || node.tagName === 'svg' || node.getAttribute('aria-hidden') === 'true' || node.classList.contains('sr')) {
		return '';
	}
	if (node.classList.contains('method')) {
		return node.getAttribute('title') ?? node.textContent ?? '';
	}
	return [...node.childNodes].map(textOf).join('');
}

/** Of several pieces each its text, in one line. */
export function textsOf(page: PageContext, pieces: readonly ComponentChildren[]): string[] {
	const box = document.createElement('div');
	render(
		<Context.Provider value={page}>
			{pieces.map((piece, i) => (
				<div key={i}>{piece}</div>
			))}
		</Context.Provider>,
		box,
	);
	const texts = [...box.children].map((child) => textOf(child).replace(/\s+/g, ' ').trim());
	render(null, box);
	return texts;
}

/** Rows that a selection by the mouse reaches into; null: none, or only part of one. */
export function selectedRows(list: Element): { readonly from: number; readonly to: number } | null {
	const selection = getSelection();
	if (selection === null || selection.isCollapsed || selection.rangeCount === 0) {
		return null;
	}
	const range = selection.getRangeAt(0);
	const rows = [...list.querySelectorAll('.rows > .row')].filter((row) => range.intersectsNode(row)).map(({ id }) => Number(id.replace(/^.*-/, '')));
	return rows.length < 2 ? null : { from: Math.min(...rows), to: Math.max(...rows) };
}

export function isTextSelected(): boolean {
	return getSelection()?.isCollapsed === false;
}

/** Files that are dropped on the page: given to assay open where it serves the page, else a word on what to do. */
import { useEffect, useState } from 'preact/hooks';
import { shown } from '../names.js';

interface DroppedProps {
	readonly isServed: boolean;
	/** Shows the page anew. */
	readonly reload: () => Promise<void>;
}

export function Dropped({ isServed, reload }: DroppedProps) {
	const [message, setMessage] = useState('');
	useEffect(() => {
		const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
		const over = (event: DragEvent): void => {
			if (hasFiles(event)) {
				event.preventDefault();
			}
		};
		const drop = (event: DragEvent): void => {
			const files = [...(event.dataTransfer?.files ?? [])];
			if (!hasFiles(event) || files.length === 0) {
				return;
			}
			event.preventDefault();
			const names = files.map(({ name }) => shown(name, 60)).join(' ');
			if (!isServed) {
				setMessage(`This page is a file and shows what was put into it. For what you dropped: assay open ${names}`);
				return;
			}
			setMessage(`Reading ${names} …`);
			send(files)
				.then(async () => {
					history.replaceState(null, '', '#/overview');
					await reload();
					setMessage('');
				})
				.catch((error: unknown) => setMessage(error instanceof Error ? shown(error.message, 400) : 'It cannot be read.'));
		};
		addEventListener('dragover', over);
		addEventListener('drop', drop);
		return () => {
			removeEventListener('dragover', over);
			removeEventListener('drop', drop);
		};
	}, [isServed, reload]);
	return message === '' ? null : (
		<p class="notice" role="status">
			{message}{' '}
			<button type="button" class="plain" onClick={() => setMessage('')}>
				close
			</button>
		</p>
	);
}

/** One after the other; the page is made with the last. */
async function send(files: readonly File[]): Promise<void> {
	for (const [i, file] of files.entries()) {
		const response = await fetch(`drop/${encodeURIComponent(file.name)}${i < files.length - 1 ? '?more' : ''}`, { method: 'POST', body: file });
		if (!response.ok) {
			throw new Error(response.status === 422 ? await response.text() : `the server answered ${response.status}; does assay open still run?`);
		}
	}
}

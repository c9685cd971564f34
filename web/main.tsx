/** Starts the page: reads its main part and shows it, or says why it cannot. */
import { render } from 'preact';
import { App } from './app.js';
import { load } from './data.js';
import './style.css';

const root = document.getElementById('page')!;

try {
	const read = load();
	// Not awaited where it need not: what is drawn before the document is loaded is in its first picture.
	const loaded = read instanceof Promise ? await read : read;
	render(<App loaded={loaded} />, root);
	document.documentElement.dataset.ready = 'true';
} catch (error) {
	render(<p class="failure">This page cannot be shown: {error instanceof Error ? error.message : String(error)}</p>, root);
	document.documentElement.dataset.ready = 'failed';
}

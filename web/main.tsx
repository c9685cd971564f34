/** Starts the page: reads its main part and shows it, or says why it cannot; shows it anew when what it was made from became more. */
import { render } from 'preact';
import type { PageState } from '../src/page/server.js';
import { App } from './app.js';
import { type Loaded, load } from './data.js';
import { Fleet } from './fleet.js';
import './style.css';

const root = document.getElementById('page')!;
/** Between questions whether the recording grew. */
const ASK_MS = 1000;
let isAsking = false;
let lastProblem: string | null = null;

function show(loaded: Loaded, problem: string | null = null): void {
	lastProblem = problem;
	const { fleet } = loaded.main;
	render(fleet === null ? <App loaded={loaded} problem={problem} reload={reload} /> : <Fleet loaded={loaded} fleet={fleet} />, root);
	askLater(loaded);
}

function askLater(loaded: Loaded): void {
	if (loaded.main.isFollowed && !isAsking) {
		isAsking = true;
		setTimeout(() => follow(loaded), ASK_MS);
	}
}

async function reload(): Promise<void> {
	show(await load(true));
}

/** A server that ended is asked no more. */
async function follow(loaded: Loaded): Promise<void> {
	try {
		const response = await fetch('data/state');
		const { revision, problem } = (await response.json()) as PageState;
		const isSame = revision === loaded.main.revision;
		const next = isSame ? loaded : await load(true);
		isAsking = false;
		if (isSame && problem === lastProblem) {
			askLater(loaded);
		} else {
			show(next, problem);
		}
	} catch {
		isAsking = false;
		show({ ...loaded, main: { ...loaded.main, isFollowed: false } });
	}
}

try {
	const read = load();
	// Not awaited where it need not: what is drawn before the document is loaded is in its first picture.
	show(read instanceof Promise ? await read : read);
	document.documentElement.dataset.ready = 'true';
} catch (error) {
	render(<p class="failure">This page cannot be shown: {error instanceof Error ? error.message : String(error)}</p>, root);
	document.documentElement.dataset.ready = 'failed';
}

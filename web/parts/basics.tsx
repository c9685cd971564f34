/** Small pieces that all views are made of. */
import { type ComponentChildren, Fragment } from 'preact';
import { THREAD_CLASS_WORDS } from '../../src/model/thread-class.js';
import { shown, splitName, titleOf } from '../names.js';
import { heatStop, rangeText } from '../numbers.js';
import type { Row } from '../side.js';
import { usePage } from './context.js';

/** The class may be cut, the method's name is not. */
export function Method({ name, isPlain, namesake }: { readonly name: string; readonly isPlain?: boolean; readonly namesake?: string | undefined }) {
	const { holder, name: method } = splitName(name);
	return (
		<span class="method" title={titleOf(name)} dir="ltr">
			{holder !== '' && <span class="holder">{holder}</span>}
			{isPlain ? <span class="name">{method}</span> : <b class="name">{method}</b>}
			{namesake !== undefined && <span class="ink3"> {namesake}</span>}
		</span>
	);
}

interface PaneProps {
	readonly title: ComponentChildren;
	readonly note?: ComponentChildren;
	readonly right?: ComponentChildren;
	readonly class?: string;
	readonly children: ComponentChildren;
	readonly id?: string;
}

export function Pane({ title, note, right, class: more, children, id }: PaneProps) {
	return (
		<section class={`pane ${more ?? ''}`} {...(id === undefined ? {} : { id })} aria-label={typeof title === 'string' ? title : undefined}>
			<div class="pane-head">
				<h2>{title}</h2>
				{note !== undefined && <span class="note">{note}</span>}
				{right !== undefined && <span class="right">{right}</span>}
			</div>
			{children}
		</section>
	);
}

/** A bar on the heat scale; the number stands beside it. */
export function Heat({ value, largest }: { readonly value: number; readonly largest: number }) {
	const stop = heatStop(value, largest);
	return (
		<span class="bar" aria-hidden="true">
			{stop > 0 && <i class={`h${Math.max(2, stop)}`} style={{ width: `${Math.max(1.5, (100 * value) / largest)}%` }} />}
		</span>
	);
}

export function Tier({ row }: { readonly row: Pick<Row, 'tier' | 'summary'> }) {
	const { compiler, osrBci } = row.summary;
	const kind = compiler === null ? 'native' : compiler === 'c1' ? 'c1' : 'top';
	return (
		<span>
			<span class={`tier ${kind}`}>{row.tier}</span>
			{osrBci !== undefined && (
				<span class="osr" title={`on-stack replacement at bci ${osrBci}`}>
					OSR
				</span>
			)}
		</span>
	);
}

export function Empty({ what, flag, how = 'Recorded with' }: { readonly what: string; readonly flag?: string | undefined; readonly how?: string }) {
	return (
		<p class="empty">
			{what}
			{flag !== undefined && (
				<>
					{' '}
					{how}{' '}
					<code>
						{flag.split(' ').map((word, i) => (
							<Fragment key={i}>
								{i > 0 && ' '}
								<span class="word">{word}</span>
							</Fragment>
						))}
					</code>
					.
				</>
			)}
		</p>
	);
}

/** `2.0 s – 3.8 s, Java threads`: what is chosen; empty: everything. */
export function useChoice(): string {
	const { filtered } = usePage();
	const { range, threadClass, thread } = filtered;
	return [
		range === null ? '' : rangeText(range),
		threadClass === null ? '' : `${THREAD_CLASS_WORDS[threadClass]} threads`,
		thread === null ? '' : `thread ${shown(thread, 40)}`,
	]
		.filter(Boolean)
		.join(', ');
}

/** Says of a view that it shows the whole run although less is chosen. */
export function WholeRun({ what }: { readonly what: string }) {
	const choice = useChoice();
	return choice === '' ? null : (
		<p class="whole-run" role="note">
			{what} of the whole run: what is chosen ({choice}) does not change it.
		</p>
	);
}

/** A view that the recording has nothing for. */
export function Nothing({ title, what, flag }: { readonly title: string; readonly what: string; readonly flag?: string }) {
	return (
		<div class="view">
			<h1>{title}</h1>
			<section class="pane" aria-label={title}>
				<Empty what={what} flag={flag} />
			</section>
		</div>
	);
}

/** A link to a compilation. */
export function Handle({ handle, params }: { readonly handle: string; readonly params?: Readonly<Record<string, string>> }) {
	const { router } = usePage();
	return (
		<a class="handle" href={router.href('compilation', handle, params ?? {})}>
			{handle}
		</a>
	);
}

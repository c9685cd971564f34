/** All compilations of one method in their order, and why each was thrown away: the story of a method in one line. */
import { useMemo } from 'preact/hooks';
import type { MethodLifeJson } from '../../src/answers/compilations-result.js';
import { shown, titleOfLines } from '../names.js';
import { count } from '../numbers.js';
import { usePage } from '../parts/context.js';
import type { Row } from '../side.js';

const MOST = 9;

/** Of the method that this is a compilation of. */
export function lifeOfMethod(methods: readonly MethodLifeJson[], compileId: string): MethodLifeJson | null {
	return methods.find(({ versions }) => versions.some((version) => version.compileId === compileId)) ?? null;
}

export function Versions({ row }: { readonly row: Row }) {
	const { side, filtered, router } = usePage();
	const { compileId } = row.summary;
	const life = useMemo(() => lifeOfMethod(side.page.compilations?.methods ?? [], compileId), [side, compileId]);
	if (life === null || life.versions.length < 2) {
		return null;
	}
	const at = life.versions.findIndex((version) => version.compileId === compileId);
	const start = Math.max(0, Math.min(at - Math.floor(MOST / 2), life.versions.length - MOST));
	const versions = life.versions.slice(start, start + MOST);
	return (
		<nav class="versions" aria-label={`versions of this method: ${life.versions.length}`}>
			{start > 0 && <span class="more">{start} before</span>}
			{versions.map(({ compileId: id, end }) => {
				const handle = `c${id}`;
				const version = side.byHandle.get(handle);
				const samples = version === undefined ? 0 : (filtered.samples[version.index] ?? 0);
				const bci = /@(\d+)$/.exec(end?.sign ?? '')?.[1];
				const why =
					end === null
						? 'not thrown away'
						: `thrown away at ${end.ms} ms: ${[end.reason, end.sign].filter((one) => one !== null).join(', ') || 'no reason logged'}`;
				return (
					<a
						key={id}
						class={`version${id === compileId ? ' current' : ''} ${version?.summary.compiler === 'c1' ? 'c1' : 'top'}`}
						style={{ flexGrow: 1 + Math.sqrt(samples) / 4 }}
						href={router.href('compilation', handle)}
						aria-current={id === compileId ? 'page' : undefined}
						title={titleOfLines([`${handle} ${version?.tier ?? ''}`, why])}
					>
						<span class="box">
							{shown(handle, 12)}
							{samples > 0 && ` · ${count(samples)}`}
						</span>
						<span class="why">
							{end === null ? '' : <b aria-hidden="true">×</b>} {end === null ? '' : bci !== undefined ? `bci ${bci}` : shortSign(end.sign ?? end.reason)}
						</span>
					</a>
				);
			})}
			{start + MOST < life.versions.length && <span class="more">{life.versions.length - start - MOST} after</span>}
		</nav>
	);
}

function shortSign(text: string | null): string {
	return text === null ? '' : shown(text.replace(/^replaced by level /, '→ level '), 22);
}

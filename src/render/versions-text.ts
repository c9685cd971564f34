import type { GeneratedCode } from '../model/generated-code.js';

const MOST_VERSIONS = 6;

/** Of one version nothing; of generated classes many share a name, and so a row. */
export function versionsText(versions: readonly { readonly code: Pick<GeneratedCode, 'compileId' | 'signature' | 'namesake'> }[]): string {
	if (versions.length < 2) {
		return '';
	}
	const ids = versions.slice(0, MOST_VERSIONS).map(({ code }) => `c${code.compileId}`);
	const methods = new Set(versions.map(({ code }) => `${code.signature ?? ''} ${code.namesake ?? ''}`)).size;
	const more = versions.length - ids.length;
	return `  ${ids.join(' ')}${more > 0 ? ` and ${more} more` : ''}${methods > 1 ? `, of ${methods} methods` : ''}`;
}

/** The page as one document: its script and style inside, its data as text that no browser runs, and a policy that lets nothing else in. */

export interface PageShell {
	readonly script: string;
	readonly style: string;
	/** Digests for the policy: `sha256-…`. */
	readonly scriptHash: string;
	readonly styleHash: string;
}

/** `isServed`: it may ask its own server for parts, and nobody else. */
export function contentPolicy({ scriptHash, styleHash }: PageShell, isServed: boolean): string {
	return [
		"default-src 'none'",
		`script-src '${scriptHash}'`,
		`style-src '${styleHash}'`,
		`connect-src ${isServed ? "'self'" : "'none'"}`,
		"base-uri 'none'",
		"form-action 'none'",
	].join('; ');
}

/** Pieces of the document; parts are compressed and in base64, which has no character that HTML knows. */
export function* pageHtml(shell: PageShell, title: string, parts: Iterable<readonly [name: string, base64: string]>, isServed: boolean): Generator<string> {
	yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n';
	yield `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentPolicy(shell, isServed))}">\n`;
	yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n';
	yield `<title>${escapeHtml(title)}</title>\n<style>${shell.style}</style>\n</head>\n<body>\n<div id="page"></div>\n`;
	for (const [name, base64] of parts) {
		yield `<script type="application/json" data-part="${escapeHtml(name)}">"${base64}"</script>\n`;
	}
	yield `<script type="module">${shell.script}</script>\n</body>\n</html>\n`;
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"'\u2028\u2029]/g, (character) => `&#${character.charCodeAt(0)};`);
}

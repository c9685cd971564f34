import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { contentPolicy, pageHtml } from '../page/html.js';

const SHELL = { script: 'start()', style: 'b{}', scriptHash: 'sha256-a', styleHash: 'sha256-b' };

test('a title and names of parts cannot leave their places', () => {
	const html = [...pageHtml(SHELL, '</title><script>x</script>\u2028', [['"><script>', 'QUJD']], false)].join('');
	expect(html.match(/<script/g)).toHaveLength(2);
	expect(html.match(/<title>[^<]*<\/title>/g)).toHaveLength(1);
	expect(html).not.toContain('\u2028');
	expect(html).toContain('>"QUJD"</script>');
});

test('a file connects to nobody, a served page to its server', () => {
	expect(contentPolicy(SHELL, false)).toContain("connect-src 'none'");
	expect(contentPolicy(SHELL, true)).toContain("connect-src 'self'");
	for (const isServed of [true, false]) {
		const policy = contentPolicy(SHELL, isServed);
		expect(policy).toContain("default-src 'none'");
		expect(policy).toContain("script-src 'sha256-a';");
		expect(policy).not.toMatch(/unsafe|\*|https?:/);
	}
});

test('what the digest is of is in the page as it is', () => {
	const html = [...pageHtml(SHELL, 't', [], false)].join('');
	const script = /<script type="module">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '';
	expect(createHash('sha256').update(script).digest('hex')).toBe(createHash('sha256').update(SHELL.script).digest('hex'));
});

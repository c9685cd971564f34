import { expect, test } from 'vitest';
import { nameHash } from './name-hash.js';
import { unescapeXml } from './xml-text.js';

test('five escapes, nothing else', () => {
	expect(unescapeXml('&lt;init&gt; &amp;lt; &apos;&quot; &nbsp; & &lt')).toBe(`<init> &lt; '" &nbsp; & &lt`);
	expect(unescapeXml('plain')).toBe('plain');
});

test("names in LLVM's profiles: the first eight bytes of their MD5", () => {
	// `printf main | md5sum` begins with fad58de7366495db.
	expect(nameHash(Buffer.from('main')).toString(16)).toBe('db956436e78dd5fa');
});

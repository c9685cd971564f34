import { expect, test } from 'vitest';
import { majorVersion } from './jvm-version.js';

test('the version of a JVM in its own words', () => {
	expect(majorVersion('OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE (25.0.3+9-LTS), built on 2026-04-21')).toBe(25);
	expect(majorVersion('OpenJDK 64-Bit Server VM (25.292-b10) for linux-amd64 JRE (1.8.0_292-b10), built on Apr 20 2021')).toBe(8);
	expect(majorVersion('VM (17.0.1)')).toBe(17);
	expect(majorVersion('17')).toBe(17);
	expect(majorVersion('1')).toBe(1);
	expect(majorVersion('no version')).toBeNull();
});

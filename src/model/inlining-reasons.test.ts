import { describe, expect, test } from 'vitest';
import { explainReason, flagText, flagTextOfRuns, INLINING_REASONS } from './inlining-reasons.js';

describe('reasons', () => {
	test('each stands once, with a sentence', () => {
		expect(new Set(INLINING_REASONS.map(({ reason }) => reason)).size).toBe(INLINING_REASONS.length);
		for (const { meaning, flags } of INLINING_REASONS) {
			expect(meaning.length).toBeGreaterThan(15);
			expect(flags.every(({ jdk17, jdk25 }) => jdk17 !== null || jdk25 !== null)).toBe(true);
		}
	});

	test('whole strings, beginnings, and what is not known', () => {
		expect(explainReason('inline (hot)')?.isInlined).toBe(true);
		expect(explainReason('too big')?.flags.map(flagText)).toEqual(['MaxInlineSize 35']);
		expect(explainReason('not compilable (disabled)')?.reason).toBe('not compilable…');
		expect(explainReason('low call site frequency')?.flags.map(flagText)[0]).toBe('MinInlineFrequencyRatio 0.0085 (JDK 25), diagnostic');
		expect(explainReason('size > DesiredMethodLimit')?.flags.map(flagText)[0]).toBe('DesiredMethodLimit 8000, fixed in product builds');
		expect(explainReason('something new')).toBeNull();
	});

	test('with the values of command lines, where they set any', () => {
		const [flag] = explainReason('inlining too deep')?.flags ?? [];
		const set = (value: string) => new Map([['MaxInlineLevel', value]]);
		const none = new Map<string, string>();
		expect(
			flag === undefined
				? []
				: [[none], [null], [set('1')], [set('1'), set('1')], [none, set('1')], [set('2'), set('1')]].map((runs) => flagTextOfRuns(flag, runs)),
		).toEqual([
			'MaxInlineLevel 15',
			'MaxInlineLevel 15',
			'MaxInlineLevel 1, set',
			'MaxInlineLevel 1, set',
			'MaxInlineLevel 15 or 1, set',
			'MaxInlineLevel 2 or 1, set',
		]);
	});
});

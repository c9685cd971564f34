import { expect, test } from 'vitest';
import { isCompilationLog } from './detect.js';

test.each([
	["<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='11847' time_ms='5'>\n", true],
	["what the program printed first\n<hotspot_log version='160 1'", true],
	// The file of a compiler thread that a JVM leaves behind, from its begin or from anywhere.
	["<start_compile_thread name='C2 CompilerThread0' thread='5' process='4' stamp='0.1'/>\n", true],
	["bci='3'/>\n<task compile_id='7' method='A b ()V'", true],
	["\n<task_queued compile_id='7'", true],
	["\n<nmethod compile_id='7'", true],
	["text <task compile_id='7'", false],
	["<task_done success='1'", false],
	["<task COMPILE_ID='7'", false],
	['<task>', false],
	['<html>', false],
	['', false],
])('%j is a log: %s', (head, isLog) => {
	expect(isCompilationLog(head)).toBe(isLog);
});

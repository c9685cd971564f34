/** The commands, in the order in which the general help lists them. */
import type { CommandEntry } from './command.js';

export const COMMANDS: readonly CommandEntry[] = [
	{
		name: 'record',
		summary: ["run a Java program under the JVM's own logs and perf, and keep what", 'they say in a folder'],
		load: async () => (await import('./record-command.js')).recordCommand,
	},
	{
		name: 'doctor',
		summary: ['which evidence a recording holds, what is missing, and the flag for it'],
		load: async () => (await import('./doctor-command.js')).doctorCommand,
	},
	{
		name: 'report',
		summary: ['where the time of a run went, and what the compiler did there'],
		load: async () => (await import('./report-command.js')).reportCommand,
	},
	{
		name: 'open',
		summary: ['a recording as a page in the browser'],
		load: async () => (await import('./open-command.js')).openCommand,
	},
	{
		name: 'diff',
		summary: ['compare two runs of a program: which decisions of the compiler changed,', 'most expensive first, noise told from change'],
		load: async () => (await import('./diff-command.js')).diffCommand,
	},
	{
		name: 'bisect',
		summary: [
			'the first commit, JDK or value of a flag at which a call is not inlined,',
			'code is thrown away again and again, a compilation takes too much …',
		],
		load: async () => (await import('./bisect-command.js')).bisectCommand,
	},
	{
		name: 'hot',
		summary: ['the hottest code of a JVM, instruction by instruction, every sample', 'accounted for'],
		load: async () => (await import('./hot-command.js')).hotCommand,
	},
	{
		name: 'compilations',
		summary: ['the life of every compilation of a HotSpot JVM: queued, compiled, made', 'not entrant, deoptimized, and why each call was inlined or not'],
		load: async () => (await import('./compilations-command.js')).compilationsCommand,
	},
	{
		name: 'memory',
		summary: ["what compilations cost the JVM's compilers in memory"],
		load: async () => (await import('./memory-command.js')).memoryCommand,
	},
	{
		name: 'bias',
		summary: ['what a profiler at safepoints would have said of a run; who delays', 'safepoints (--ttsp): thread, loop, what to do'],
		load: async () => (await import('./bias-command.js')).biasCommand,
		forms: async () => (await import('./bias-command.js')).BIAS_FORMS,
	},
	{
		name: 'order',
		summary: ['order files: what ran first, laid out for few page faults, scored', 'before it is linked'],
		load: async () => (await import('./order-command.js')).orderCommand,
	},
	{
		name: 'lab',
		summary: ['programs of which the answer is known, under your JVM: lab bias, for', 'profilers; lab problems, for the findings of assay report'],
		load: async () => (await import('./lab-command.js')).labCommand,
	},
	{
		name: 'perfasm',
		summary: ['the hottest regions of the code that HotSpot generated, with the', "options and output of JMH's perfasm and dtraceasm"],
		load: async () => (await import('./perfasm-command.js')).perfasmCommand,
	},
	{
		name: 'profdiff',
		summary: ['report and compare optimization logs of the Graal compiler, with the', "commands, options and output of Graal's `mx profdiff`"],
		load: async () => (await import('./profdiff-command.js')).profdiffCommand,
	},
	{
		name: 'collect',
		summary: ['the facts of many runs as Parquet tables in a folder: a store'],
		load: async () => (await import('./collect-command.js')).collectCommand,
	},
	{
		name: 'query',
		summary: ['questions about the runs of a store, in SQL, by DuckDB or Trino'],
		load: async () => (await import('./query-command.js')).queryCommand,
	},
	{
		name: 'compact',
		summary: ['the files of a store put together: a few large ones, sorted'],
		load: async () => (await import('./compact-command.js')).compactCommand,
	},
	{
		name: 'export',
		summary: ['a recording for other tools: flame graphs, speedscope, pprof, Firefox', 'Profiler, Perfetto, tables in CSV, Parquet and JSON'],
		load: async () => (await import('./export-command.js')).exportCommand,
	},
	{
		name: 'watch',
		summary: ['records a program again whenever its classes change, and shows the', 'difference to the run before'],
		load: async () => (await import('./watch-command.js')).watchCommand,
	},
	{
		name: 'mcp',
		summary: ['the answers of the other commands for assistants: a server of the Model', 'Context Protocol, read only, for the folders that it is given'],
		load: async () => (await import('./mcp-command.js')).mcpCommand(COMMANDS),
	},
	{
		name: 'completion',
		summary: ['a script that completes command lines, for bash, zsh or fish'],
		isHidden: true,
		load: async () => (await import('./completion-command.js')).completionCommand(COMMANDS),
	},
];

/**
 * The code of JVMs: what their logs tell and print of it, what the agent that watched them wrote, and both as one where they are of one process. The log has
 * stamps, compile ids and reasons; the agent has the bytes.
 */
import type { Source } from '../bytes/source.js';
import type { AgentLog } from '../formats/agent-log/read.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import { readLateInlines } from '../formats/hotspot-code/late-inlines.js';
import { type CodeLog, type LoggedCode, scanCode } from '../formats/hotspot-code/scan.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Problem } from '../model/problem.js';
import type { InterpretedMethod } from '../model/samples.js';
import { type AgentCode, agentCode } from './agent-code.js';
import { agentLogOf } from './agent-log-file.js';
import type { CodeForm } from './code-source.js';
import type { EvidenceFile } from './find-evidence.js';
import { openLogFile } from './log-file.js';
import { machineSymbols } from './machine-symbols.js';
import { nativeNames } from './native-calls.js';
import { PrintedCodeReader } from './printed-code.js';

/** Code of one JVM. */
export interface JvmCode {
	/** The log, or the agent's where there is none. */
	readonly file: string;
	readonly log: CodeLog;
	/** The instructions of pieces of the log's code; those that were neither printed nor told are left out. */
	read(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>>;
	/** Of the texts that were read: lines with an address that hold no instruction, and bytes that are none. */
	lostLines(): number;
	/** Null before any was read. */
	codeForm(): CodeForm | null;
	/** Methods that ran in the interpreter, by where the JVM has its structures of them; none where no agent told. */
	interpretedMethods(addresses: ReadonlySet<number>): ReadonlyMap<number, InterpretedMethod>;
}

export async function readJvmCode(logs: readonly EvidenceFile[], agentLogs: readonly EvidenceFile[], problems: Problem[]): Promise<JvmCode[]> {
	const agents: AgentCode[] = [];
	for (const file of agentLogs) {
		const opened = await openLogFile(file);
		problems.push(...opened.problems);
		const log = agentLogOf(opened.source);
		agents.push(agentCode(file.name, opened.source, log, nativeNames(log.mappings, await machineSymbols())));
	}
	const result: JvmCode[] = [];
	for (const file of logs) {
		const { source, problems: found } = await openLogFile(file);
		problems.push(...found);
		const log = scanCode(source);
		const agent = agents.find(({ processId }) => processId !== null && processId === log.processId);
		result.push(agent === undefined ? codeOfLog(file.name, source, log) : codeOfBoth(file.name, source, log, agent));
	}
	const alone = agents.filter(({ processId }) => processId === null || !result.some(({ log }) => log.processId === processId));
	return [...result, ...alone.map(codeOfAgent)];
}

function codeOfLog(file: string, source: Source, log: CodeLog): JvmCode {
	const reader = new PrintedCodeReader(source, log);
	return {
		file,
		log,
		read: (wanted) => reader.read(wanted),
		lostLines: () => reader.lostLines,
		codeForm: () => reader.codeForm,
		interpretedMethods: () => new Map(),
	};
}

function codeOfAgent(agent: AgentCode): JvmCode {
	const { log, file } = agent;
	let hasRead = false;
	return {
		file,
		log: { ...logOfAgent(log), code: agent.code, problems: agent.problems },
		read(wanted) {
			hasRead = true;
			return agent.read(wanted);
		},
		lostLines: () => 0,
		codeForm: () => (hasRead ? 'agent' : null),
		interpretedMethods: (addresses) => agent.interpretedMethods(addresses),
	};
}

/** What the first lines of a log would say. */
function logOfAgent({
	processId,
	realtimeSeconds,
	monotonicSeconds,
	architecture,
	vmName,
	vmVersion,
	isAttached,
}: AgentLog): Omit<CodeLog, 'code' | 'problems'> {
	const platform = `linux-${architecture === 'aarch64' ? 'aarch64' : 'amd64'}`;
	return {
		processId,
		startedEpochMs: realtimeSeconds * 1000,
		platform,
		version: vmVersion === '' ? null : `${vmName} (${vmVersion}) for ${platform} JRE (${vmVersion})`,
		form: { indent: 0, isEscaped: false },
		lateInlines: new Map(),
		monotonicMinusRealtimeSeconds: monotonicSeconds - realtimeSeconds,
		isOlder: isAttached,
	};
}

/** Pieces of the log with the agent's bytes where the log has no text, then what only the agent knows. */
function codeOfBoth(file: string, source: Source, log: CodeLog, agent: AgentCode): JvmCode {
	const reader = new PrintedCodeReader(source, log);
	const monotonicMinusRealtimeSeconds = agent.log.monotonicSeconds - agent.log.realtimeSeconds;
	// Of two with one id at one address the later is told by the log too: ids are counted up.
	const byPlace = new Map(agent.code.map((code) => [placeOf(code), code]));
	const ofAgent = new Map<GeneratedCode, LoggedCode>();
	const code = log.code.map((piece) => {
		const told = piece.compileId === null ? undefined : byPlace.get(placeOf(piece));
		if (told === undefined) {
			return piece;
		}
		byPlace.delete(placeOf(piece));
		if (piece.textRanges.length > 0) {
			return piece;
		}
		const { namesake: _, ...known } = piece;
		const joined = {
			...known,
			...(told.namesake === undefined ? {} : { namesake: told.namesake }),
			start: told.start,
			end: told.end,
			osrBci: piece.osrBci ?? told.osrBci,
			textRanges: told.textRanges,
		};
		ofAgent.set(joined, told);
		return joined;
	});
	const printedStubs = log.code.some(({ compileId }) => compileId === null);
	const shift = log.startedEpochMs === null ? null : agent.log.monotonicSeconds - (log.startedEpochMs / 1000 + monotonicMinusRealtimeSeconds);
	for (const told of byPlace.values()) {
		if (told.compileId === null && told.kind !== 'compilation' && printedStubs) {
			continue;
		}
		const { installedSeconds } = told;
		const joined = { ...told, installedSeconds: installedSeconds === null || shift === null ? null : installedSeconds + shift };
		ofAgent.set(joined, told);
		code.push(joined);
	}
	let hasRead = false;
	return {
		file,
		log: { ...log, code, problems: [...log.problems, ...agent.problems], monotonicMinusRealtimeSeconds },
		async read(wanted) {
			const pieces = [...wanted];
			const told = pieces.flatMap((piece) => (ofAgent.has(piece) ? [[piece, ofAgent.get(piece)!] as const] : []));
			const read = await agent.read(
				told.map(([, own]) => own),
				({ compileId }) => readLateInlines(source, log, compileId),
			);
			hasRead ||= told.length > 0;
			const result = await reader.read(pieces.filter((piece) => !ofAgent.has(piece)));
			for (const [piece, own] of told) {
				const printed = read.get(own);
				if (printed !== undefined) {
					result.set(piece, printed);
				}
			}
			return result;
		},
		lostLines: () => reader.lostLines,
		codeForm: () => reader.codeForm ?? (hasRead ? 'agent' : null),
		interpretedMethods: (addresses) => agent.interpretedMethods(addresses),
	};
}

/** What is the same in both: ids are used once, but code moves nowhere else, and stubs have none. */
function placeOf({ compileId, start, name }: GeneratedCode): string {
	return `${compileId ?? name} ${start}`;
}

/** The agent's log of a file, read once for all who ask. */
import type { Source } from '../bytes/source.js';
import { type AgentLog, readAgentLog } from '../formats/agent-log/read.js';

const READ = new WeakMap<Source, AgentLog>();

/** As {@link readAgentLog}; kept as long as the file's source is. */
export function agentLogOf(source: Source): AgentLog {
	const origin = source.lends ?? source;
	const log = READ.get(origin) ?? readAgentLog(source);
	READ.set(origin, log);
	return log;
}

/** What commands print with `--json`, by the command that tests ask for. */
import type {
	BiasResult,
	CompilationsResult,
	DiffResult,
	DoctorResult,
	HotspotsResult,
	MemoryResult,
	ReportResult,
	TimeToSafepointResult,
} from '../src/answers/results.js';

export interface CommandResults {
	readonly report: ReportResult;
	readonly hot: HotspotsResult;
	readonly compilations: CompilationsResult;
	readonly memory: MemoryResult;
	readonly bias: BiasResult;
	readonly 'bias --ttsp': TimeToSafepointResult;
	readonly diff: DiffResult;
	readonly doctor: DoctorResult;
}

export type CommandWithResult = keyof CommandResults;

/** Types of the results of the commands: made from docs/schema by scripts/result-types.js. Times, sizes and the like have their units in their names; docs/json.md explains each field. */

type ReportThreadTime = {
	classes: {
		class: 'java' | 'c1' | 'c2' | 'jvmci' | 'gc' | 'jvm' | 'native' | 'recording';
		samples: number;
		percent: number;
		low: number;
		high: number;
		threads: number;
		activities: {
			name: string;
			samples: number;
			percent: number;
		}[];
	}[];
	threads: {
		name: string;
		id: number;
		class: 'java' | 'c1' | 'c2' | 'jvmci' | 'gc' | 'jvm' | 'native' | 'recording';
		samples: number;
		percent: number;
	}[];
	libraries: {
		library: string;
		samples: number;
		percent: number;
		activities: {
			name: string;
			samples: number;
			percent: number;
		}[];
		symbols: {
			symbol: string | null;
			activity: string | null;
			samples: number;
			percent: number;
		}[];
		otherSymbols: number;
	}[];
} | null;
type ReportEvidenceKind = string;
type ReportShare = number | null;
type ReportRows = ReportNode[];

/** What {@link report} gives: one recording, every kind of evidence joined. */
export interface ReportResult {
	recording: {
		name: string;
		version: string | null;
		processId: number | null;
		arguments: string | null;
		collector: string | null;
		command: string | null;
		startedEpochMs: number | null;
		seconds: number | null;
		codeForm: 'MachCode' | 'hsdis' | 'agent' | null;
	};
	evidence: {
		logCompilation: ReportEvidence;
		assembly: ReportEvidence;
		samples: ReportEvidence;
		stacks: ReportEvidence;
		graalLog: ReportEvidence;
		proftoolProfile: ReportEvidence;
		safepoints: ReportEvidence;
		compilerMemory: ReportEvidence;
		deoptimizations: ReportEvidence;
		flightRecorder: ReportEvidence;
		printCompilation: ReportEvidence;
		jitdump: ReportEvidence;
		remarks: ReportEvidence;
		executables: ReportEvidence;
		perfMap: ReportEvidence;
		orderTraces: ReportEvidence;
		[k: string]: ReportEvidence;
	};
	clock: {
		source: 'recorded' | 'samples' | 'none';
		startSeconds: number | null;
		uncertaintySeconds: number | null;
	};
	samples: {
		total: number;
		counted: number;
		byReason: {
			[k: string]: number;
		};
		ambiguous: number;
		event: string | null;
		window: {
			delayMs: number;
			lengthMs: number | null;
			measured: string | null;
		} | null;
		ofStacks?: {
			file: string;
			what: string;
			lost: number;
			failed: number;
			kinds: {
				file: string;
				event: string;
				samples: number;
				isCounted: boolean;
			}[];
		};
	};
	allocations?: {
		method: string;
		bci: number | null;
		line: number | null;
		percent: number;
		compileId: string | null;
	}[];
	otherTime: {
		name: string;
		samples: number;
		percent: number;
		callers?: {
			samples: number;
			rows: {
				method: string;
				bci: number;
				line: number | null;
				compileId: string | null;
				samples: number;
				isInterpreted?: true;
				callers?: {
					compileId: string | null;
					method: string;
					samples: number;
				}[];
			}[];
		};
	}[];
	hotMethods?: {
		method: string;
		signature: string | null;
		samples: number;
		percent: number;
		halfInterval: number;
		compiled: number;
		inlined: number;
		interpreted: number;
		native: number;
		untold: number;
		line: {
			line: number;
			samples: number;
		} | null;
	}[];
	threadTime: ReportThreadTime;
	safepoints: {
		total: number;
		slow: number;
		reachingNs: number;
		totalNs: number;
	};
	compilations: {
		handle: string;
		compileId: string;
		kind: 'standard' | 'osr' | 'native wrapper';
		method: string;
		signature: string | null;
		compiler: string | null;
		level: number | null;
		osrBci?: number;
		samples: number;
		percent: number;
		halfInterval?: number;
		codeBytes: number;
		memoryBytes?: number;
		inlinedCalls?: number;
		notInlinedCalls?: number;
		predictedBiasedPercent?: number;
		loopsWithoutPoll?: number;
		queuedMs?: number;
		startedMs?: number;
		doneMs?: number;
		installedMs?: number;
		notEntrantMs?: number;
		notEntrantReason?: string;
		failure?: string;
		deoptimizations: number;
		evidence: ReportEvidenceKind[];
	}[];
	startup: {
		program: {
			file: string;
			functions: number;
		} | null;
		traces: {
			name: string;
			file: string;
			functions: number | null;
			executedBytes: number | null;
			unplaced: number | null;
			ambiguous: number | null;
		}[];
		layouts: {
			name: string;
			textPages: number;
			entryPages: number;
			execPages: number | null;
			wholeFunctionPages: number;
			windows64k: number;
			areaUnderCurve: number;
			codePages: number | null;
			codeExecPages: number | null;
			codeWindows64k: number | null;
			kind: 'binary' | 'order';
			listedSections: number | null;
			byTrace: {
				trace: string;
				textPages: number;
				entryPages: number;
				execPages: number | null;
				wholeFunctionPages: number;
				windows64k: number;
				areaUnderCurve: number;
				codePages: number | null;
				codeExecPages: number | null;
				codeWindows64k: number | null;
				lost: number;
			}[];
		}[];
		startUpCode: string[];
		maps: string[];
		leftOut: {
			file: string;
			why: string;
		}[];
	} | null;
	findings: {
		kind:
			| 'biased'
			| 'not-inlined'
			| 'safepoint'
			| 'memory'
			| 'deoptimization-storm'
			| 'deoptimized-hot'
			| 'recompiled-hot'
			| 'failed'
			| 'interpreter'
			| 'compilers'
			| 'slow-compilation'
			| 'huge-method'
			| 'excluded'
			| 'osr-only'
			| 'code-cache'
			| 'contention'
			| 'slow-instructions'
			| 'stub-work'
			| 'native-work'
			| 'not-vectorized'
			| 'not-hoisted'
			| 'spills'
			| 'cold-inlined'
			| 'startup-inlining'
			| 'exceptions'
			| 'collector'
			| 'class-loading'
			| 'compile-queue'
			| 'startup';
		text: string;
		place: {
			method: string;
			line: number | null;
			bci: number | null;
		} | null;
		handles: string[];
		evidence: ReportEvidenceKind[];
		command: string | null;
	}[];
	decisions?: {
		run?: ReportRun;
		compilations?: {
			handle: string;
			compileId: string;
			method: string;
			signature: string | null;
			multiMethodKey: string | null;
			period: number;
			periodShare: ReportShare;
			calls: {
				inlined?: number;
				direct?: number;
				indirect?: number;
				devirtualized?: number;
				deleted?: number;
			};
			optimizations: number;
			inliningTree: ReportRows;
			optimizationTree: ReportRows;
		}[];
		otherCompilations?: number;
		otherCompilationsShare?: ReportShare;
		otherTime?: {
			label: 'interpreter' | 'lower tiers' | 'stubs and native wrappers' | 'top tier, not in the log' | 'outside compiled code';
			share: number;
		}[];
		findings?: {
			kind: 'dispatched-call' | 'not-inlined';
			handle: string;
			callee: string | null;
			bci: number;
			reason?: string;
			receivers?: number;
			topTwo?: number;
		}[];
	};
}
interface ReportEvidence {
	present: boolean;
	files: string[];
	records: number;
}
interface ReportRun {
	name: string;
	logKind: 'Graal' | 'HotSpot' | 'LLVM';
	kind: 'JIT' | 'AOT' | null;
	compilations: number;
	methods: number;
	logFiles: number;
	otherFiles: number;
	duplicateIds: number;
	profile: {
		name: string;
		totalPeriod: number;
		compiledPeriod: number;
		entries: number;
		found: number;
		sameName: number;
		duplicateEntries: number;
		forced: boolean;
		ofStacks?: {
			event: string;
			lost: number;
			failed: number;
		};
	} | null;
}
interface ReportNode {
	depth: number;
}

type HotspotsThreadTime = {
	classes: {
		class: 'java' | 'c1' | 'c2' | 'jvmci' | 'gc' | 'jvm' | 'native' | 'recording';
		samples: number;
		percent: number;
		low: number;
		high: number;
		threads: number;
		activities: {
			name: string;
			samples: number;
			percent: number;
		}[];
	}[];
	threads: {
		name: string;
		id: number;
		class: 'java' | 'c1' | 'c2' | 'jvmci' | 'gc' | 'jvm' | 'native' | 'recording';
		samples: number;
		percent: number;
	}[];
	libraries: {
		library: string;
		samples: number;
		percent: number;
		activities: {
			name: string;
			samples: number;
			percent: number;
		}[];
		symbols: {
			symbol: string | null;
			activity: string | null;
			samples: number;
			percent: number;
		}[];
		otherSymbols: number;
	}[];
} | null;

/** What {@link hotspots} gives: hottest regions, methods and compilations, instruction by instruction. */
export interface HotspotsResult {
	recording: {
		samplesFile: string;
		logFile: string | null;
		jvm: string | null;
		processId: number | null;
		event: string;
		events: string[];
	};
	samples: {
		total: number;
		counted: number;
		byReason: {
			[k: string]: number;
		};
		ambiguous: number;
		window: {
			delayMs: number;
			lengthMs: number | null;
			measured: string | null;
		} | null;
	};
	clock: {
		source: 'recorded' | 'samples' | 'none';
		startSeconds: number | null;
		uncertaintySeconds: number | null;
	};
	skid: {
		shifted: boolean;
		share: number | null;
		samples: number;
		reason: string;
	};
	regions: HotspotsRegion[];
	methods: {
		handle: string;
		method: string;
		source: string;
		samples: number;
		percent: number;
		low: number;
		high: number;
		compileIds: string[];
	}[];
	sources: {
		source: string;
		samples: number;
		percent: number;
		low: number;
		high: number;
	}[];
	threadTime: HotspotsThreadTime;
	by?: {
		kind: 'instruction' | 'line' | 'bytecode' | 'method' | 'region' | 'library' | 'class' | 'thread';
		rows: {
			name: string;
			method: string | null;
			line: number | null;
			bci: number | null;
			compileIds: string[];
			samples: number;
			percent: number;
			low: number;
			high: number;
			analysedPercent: number | null;
		}[];
	};
	compilations: {
		handle: string;
		compileId: string;
		method: string;
		signature: string | null;
		compiler: string | null;
		level: number | null;
		osrBci: number | null;
		start: string;
		end: string;
		installedSeconds: number | null;
		notEntrant: {
			seconds: number;
			reason: string | null;
		} | null;
		samples: number;
		percent: number;
		withoutInstruction: number;
		timeline: number[];
	}[];
	code?: {
		compileId: string | null;
		method: string;
		start: string;
		end: string;
		withoutInstruction: number;
		offset: number[];
		text: string[];
		seen: number[];
		analysed: number[] | null;
		jump: number[];
		depth: number[];
		position: number[];
		positions: HotspotsFrame[][];
		comments: {
			instruction: number;
			texts: string[];
		}[];
		polls: {
			instruction: number;
			kind: 'loop' | 'return';
		}[];
		loops: {
			from: number;
			to: number;
			header: number;
			depth: number;
			hasPoll: boolean | null;
			samples: number;
		}[];
	}[];
	sampleColumns?: {
		startSeconds: number;
		deltaUs: number[];
		place: number[];
		instruction: number[];
		places: {
			compileId: string | null;
			reason: string | null;
		}[];
		thread: number[];
		threads: {
			name: string;
			id: number;
		}[];
	};
}
interface HotspotsRegion {
	handle: string;
	compileId: string | null;
	method: string;
	signature: string | null;
	compiler: string | null;
	level: number | null;
	source: string;
	library: string | null;
	start: string;
	end: string;
	samples: number;
	percent: number;
	low: number;
	high: number;
	isRankSure: boolean;
	loop: {
		depth: number;
		instructions: number;
		header: string;
		hasPoll: boolean | null;
	} | null;
	owner: {
		method: string;
		samples: number;
	} | null;
	callers?: {
		samples: number;
		rows: {
			method: string;
			bci: number;
			line: number | null;
			compileId: string | null;
			samples: number;
			isInterpreted?: true;
			through?: string;
			callers?: {
				compileId: string | null;
				method: string;
				samples: number;
			}[];
		}[];
	};
	lines: HotspotsLine[];
}
interface HotspotsLine {
	address: string;
	text: string;
	samples: number;
	percent: number;
	analysedPercent: number | null;
	bci?: number;
	line?: number;
	frames: HotspotsFrame[];
	comments: string[];
}
interface HotspotsFrame {
	method: string;
	bci: number;
	line: number | null;
}

/** The same of two recordings: {@link compareHotspots}. */
export interface CompareHotspotsResult {
	samples: {
		a: number;
		b: number;
	};
	events: {
		a: string;
		b: string;
	};
	pairs: {
		method: string;
		a: {
			handle: string;
			compileId: string | null;
			source: string;
			samples: number;
			percent: number;
			low: number;
			high: number;
		} | null;
		b: {
			handle: string;
			compileId: string | null;
			source: string;
			samples: number;
			percent: number;
			low: number;
			high: number;
		} | null;
		difference: {
			points: number;
			low: number;
			high: number;
		};
		isSure: boolean;
		likeness: number;
		lines: {
			a: {
				address: string;
				text: string;
				samples: number;
			} | null;
			b: {
				address: string;
				text: string;
				samples: number;
			} | null;
		}[];
	}[];
}

/** What {@link compilations} gives: the life of every compilation, and the decisions at its calls. */
export interface CompilationsResult {
	recording: {
		files: string[];
		jvm: string | null;
		processId: number | null;
		startedEpochMs: number | null;
		endMs: number;
	};
	summary: {
		compilations: number;
		nativeWrappers: number;
		osr: number;
		installed: number;
		started: number;
		waiting: number;
		notEntrant: number;
		levels: {
			compiler: string | null;
			level: number | null;
			compilations: number;
			osr: number;
			installed: number;
			failed: number;
			waiting: number;
			notEntrant: number;
			compileMs: number;
			sizeBytes: number;
		}[];
		failures: CompilationsReasonCount[];
		retries: CompilationsReasonCount[];
		notEntrantReasons: CompilationsReasonCount[];
		deoptimizations: {
			kind: string;
			reason: string;
			action: string | null;
			count: number;
			compilations: number;
		}[];
		storms: {
			method: string;
			reason: string;
			count: number;
			fromMs: number;
			toMs: number;
			compileIds: string[];
		}[];
		threads: {
			id: number;
			name: string | null;
			compilations: number;
			busyMs: number;
			busyShare: number;
			sizeBytes: number;
		}[];
		queues: {
			compiler: string;
			longestOf: number[];
			longest: number;
			longestAtMs: number;
			longestWaitMs: number;
			tenthWaitMs: number;
			meanWaitMs: number;
			neverStarted: number;
		}[];
		codeHeap: {
			reservedBytes: number | null;
			firstFreeBytes: number;
			leastFreeBytes: number;
			leastFreeAtMs: number;
			lastFreeBytes: number;
			leastFreeOf: (number | null)[];
		} | null;
	};
	methods: {
		handle: string;
		method: string;
		signature: string | null;
		namesake?: string;
		compileMs: number;
		sizeBytes: number;
		deoptimizations: number;
		failures: number;
		versions: CompilationsVersion[];
	}[];
	compilations: {
		handle: string;
		compileId: string;
		kind: 'standard' | 'osr' | 'native wrapper';
		method: string;
		signature: string | null;
		compiler: string | null;
		level: number | null;
		namesake?: string;
		osrBci?: number;
		sizeBytes: number | null;
		nmethodBytes: number | null;
		bytecodeBytes: number | null;
		inlinedBytes: number | null;
		invocations: number | null;
		backedges: number | null;
		threadId: number | null;
		queueComment: string | null;
		queuedMs?: number;
		startedMs?: number;
		doneMs?: number;
		installedMs?: number;
		notEntrantMs?: number;
		reason?: string;
		removedMs?: number;
		failure?: string;
		failurePhase?: string | null;
		retries: string[];
		isCut: boolean;
		deoptimizations: CompilationsDeoptimization[];
		movesToOsr?: number;
		callSites: CompilationsCallSite[];
	}[];
	records?: {
		compileId: string;
		phases: {
			name: string;
			depth: number;
			startMs: number | null;
			endMs: number | null;
			nodes: number | null;
			liveNodes: number | null;
			memoryBytes: number | null;
		}[];
		plannedTraps: number;
		lostElements: number;
	}[];
	reasons?: {
		reason: string;
		count: number;
		compilers: string[];
		meaning: string | null;
		flags: string[];
	}[];
}
interface CompilationsReasonCount {
	reason: string;
	count: number;
}
interface CompilationsVersion {
	compileId: string;
	waitedMs: number | null;
	compileMs: number | null;
	end: {
		ms: number;
		reason: string | null;
		sign: string | null;
		nextCompileId: string | null;
	} | null;
}
interface CompilationsDeoptimization {
	kind: 'uncommon trap' | 'invalidated';
	reason: string;
	action: string | null;
	method: string | null;
	bci: number | null;
	ms: number | null;
	threadId: number | null;
}
interface CompilationsCallSite {
	bcis: [number, ...number[]];
	callee: string | null;
	inlined: boolean;
	intrinsic: boolean;
	reason: string;
	receivers?: {
		typeName: string;
		count: number;
		probability: number;
	}[];
}

/** What {@link bias} gives: what a profiler at safepoints would have said. */
export interface BiasResult {
	recording: {
		samplesFile: string;
		logFile: string | null;
	};
	profiles: {
		name: string;
		file: string;
		format: string;
		event: string;
		samples: number | null;
		leftOut: {
			otherThreads: number;
			otherTimes: number;
			waiting: number;
		};
		unwalkable: number;
		truncated: number;
		biased: number;
		lostSamples: number;
		hasLines: boolean;
		clock: {
			source: 'recorded' | 'jvm-start';
			uncertaintySeconds: number;
		} | null;
		hasTimes: boolean;
	}[];
	samples: number;
	otherThreads: number | null;
	unknownPercent: number;
	methods: {
		method: string;
		unbiasedPercent: number;
		unbiasedSamples: number;
		unbiasedInterval: {
			low: number;
			high: number;
		};
		predictedPercent: number;
		predictedInterval: {
			low: number;
			high: number;
		} | null;
		observed: {
			[k: string]: number;
		};
		nearestDebugInfoPercent: number | null;
	}[];
	by?: 'line' | 'tree';
	tree?: {
		frames: 'stacks' | 'inlining';
		nodes: {
			depth: number;
			method: string;
			unbiasedPercent: number;
			unbiasedSelfPercent: number;
			predictedPercent: number;
			predictedSelfPercent: number;
			observed: {
				[k: string]: number;
			};
			observedSelf: {
				[k: string]: number;
			};
		}[];
	};
	lines: {
		line: string;
		unbiasedPercent: number;
		unbiasedSamples?: number;
		unbiasedInterval?: {
			low: number;
			high: number;
		};
		predictedPercent: number;
		predictedInterval?: {
			low: number;
			high: number;
		} | null;
		nearestDebugInfoPercent: number | null;
		observed: {
			[k: string]: number;
		};
	}[];
	distances: {
		a: string;
		b: string;
		totalVariation: number;
		expectedFromSampling: number | null;
	}[];
	transfers: {
		from: string;
		to: string;
		percent: number;
	}[];
	loops: {
		method: string;
		compileId: string | null;
		isOsr: boolean;
		header: string;
		end: string;
		line: number | null;
		bytecodes: number[];
		samplesPercent: number;
		index: {
			register: string;
			step: number;
			bits: 32 | 64;
		} | null;
		poll: 'iteration' | 'strip' | 'none';
		kind:
			| 'counted'
			| 'rest'
			| 'strip-mined'
			| 'outer loop gone'
			| 'long index'
			| 'inside a bytecode'
			| 'calls'
			| 'some ways'
			| 'counted with a poll'
			| 'not counted'
			| 'C1';
		reason: string;
		reported: {
			address: string;
			place: 'poll' | 'call';
			method: string | null;
			line: number | null;
		}[];
		bytecode: {
			header: number;
			backEdge: number;
			test: 'top' | 'bottom' | 'inside' | 'none';
			index: {
				local: number;
				type: 'int' | 'long';
				step: number;
			} | null;
			isInner: boolean;
			otherEntries: number[];
			entersHere: boolean;
			shape: string;
		} | null;
	}[];
	versionDifferences: {
		method: string;
		line: number | null;
		versions: {
			compileId: string | null;
			compiled: string;
			isOsr: boolean;
			header: string;
			poll: 'iteration' | 'strip' | 'none';
			kind:
				| 'counted'
				| 'rest'
				| 'strip-mined'
				| 'outer loop gone'
				| 'long index'
				| 'inside a bytecode'
				| 'calls'
				| 'some ways'
				| 'counted with a poll'
				| 'not counted'
				| 'C1';
		}[];
	}[];
	explanations: {
		from: string;
		to: string;
		percent: number;
		share: number;
		compileId: string | null;
		sampled: {
			address: string;
			samples: number;
		};
		probability: number;
		steps: (
			| {
					address: string;
					compileId: string | null;
					instruction: string;
					method: string | null;
					line: number | null;
					note: string | null;
			  }
			| {
					skipped: number;
			  }
		)[];
		poll: {
			address: string;
			rule: string;
			frames: {
				method: string;
				bci: number;
				line: number | null;
			}[];
		};
	}[];
	debugInfo: 'every instruction' | 'safepoints only' | 'no oop maps' | null;
	nearestLostPercent: number | null;
	window: {
		delayMs: number;
		lengthMs: number | null;
		measured: string | null;
	} | null;
}

/** What {@link timeToSafepoint} gives: safepoints, and who delayed them. */
export interface TimeToSafepointResult {
	recording: {
		safepointsFile: string | null;
		samplesFile: string | null;
		logFile: string | null;
	};
	clock: {
		source: 'recorded' | 'samples' | 'none';
		startSeconds: number | null;
	};
	runNs: number | null;
	operations: {
		operation: string | null;
		safepoints: number;
		reachingNs: number;
		totalNs: number;
		percentOfRun: number | null;
		takesStacks: boolean;
	}[];
	collector: null | {
		counted: 'collections' | 'safepoints';
		count: number;
		totalNs: number;
		longestNs: number;
		askedCount: number;
		askedNs: number;
		percentOfRun: number | null;
	};
	slowNs: number;
	safepoints: {
		operation: string | null;
		sinceLastNs: number | null;
		reachingNs: number | null;
		cleanupNs: number | null;
		atSafepointNs: number | null;
		leavingNs: number | null;
		totalNs: number;
		unfinished: 'begun' | 'late' | 'silent' | null;
		startedNs: number | null;
		startedClock: 'samples' | 'uptime' | null;
		runningThreads: number | null;
		totalThreads: number | null;
		lateThreads: {
			name: string;
			threadId: number | null;
			cpuMs: number | null;
		}[];
		isSlow: boolean;
		samples: number;
		culprits: {
			thread: string | null;
			threadId: number | null;
			isReported: boolean;
			method: string;
			line?: number;
			compileId: string | null;
			address: string | null;
			loop: null | {
				header: string;
				end: string;
				instructions: number;
				poll: 'iteration' | 'strip' | 'none';
			};
			samples: number;
			percent: number;
			evidence: 'samples' | 'code' | 'timeout';
			why: string;
			remedy: string | null;
			cost: string | null;
		}[];
	}[];
	histogram: {
		fromNs: number;
		toNs: number;
		safepoints: number;
	}[];
	causes: {
		method: string;
		line?: number;
		threads: string[];
		safepoints: number;
		reachingNs: number;
		why: string;
		remedy: string | null;
		cost: string | null;
	}[];
	otherTimeouts: {
		uptimeNs: number | null;
		lateThreads: {
			name: string;
			threadId: number | null;
			cpuMs: number | null;
		}[];
	}[];
}

/** What `assay bias --profilers` gives: which profilers are biased by construction. */
export interface BiasProfilersResult {
	jdk: number | null;
	version: string | null;
	profilers: {
		profiler: string;
		mode: string;
		fromJdk: number | null;
		toJdk: number | null;
		bias: 'safepoints' | 'debug info' | 'names only' | 'no';
		reason: string;
		walksStacks: boolean;
		sources: string[];
	}[];
}

/** What `assay lab bias` gives: how far every profiler is from the known truth. */
export interface LabBiasResult {
	java: {
		path: string;
		version: string | null;
		options: string[];
	};
	seconds: number;
	profilers: {
		name: string;
		what: string;
	}[];
	missing: {
		sampler: string;
		why: string;
		remedy: string;
	}[];
	scenarios: {
		scenario: string;
		title: string;
		truth: {
			from: 'steps' | 'timed' | 'perf';
			methods: {
				method: string;
				percent: number;
			}[];
		} | null;
		profilers: {
			profiler: string;
			isUnbiased: boolean;
			samples: number | null;
			totalVariation: number | null;
			expectedFromSampling: number;
			methods: {
				method: string;
				percent: number;
			}[];
		}[];
		predictions: {
			prediction: string;
			observed: string;
			totalVariation: number;
			expectedFromSampling: number;
		}[];
		samplers: {
			execution: string;
			cpu: string;
			totalVariation: number;
			expectedFromSampling: number;
			biasedPercent: number;
			biasedMethod: string | null;
			fromTruth: number | null;
			unbiasedFromTruth: number | null;
		}[];
	}[];
}

/** What `assay lab problems` gives: at which rank the first screen names each known fault. */
export interface LabProblemsResult {
	javaPath: string;
	version: string | null;
	javaOptions: string[];
	seconds: number;
	causes: {
		cause: string;
		title: string;
		kind: string;
		method: string | null;
		skipped: string | null;
		rank: number | null;
		diffRank: number | null;
		text: string | null;
		line: number | null;
		falseAlarm: string | null;
	}[];
}

/** What {@link memory} gives: what compilations cost the compiler. */
export interface MemoryResult {
	compilations: {
		handle: string;
		compileId: string | null;
		compiler: string;
		method: string;
		signature: string | null;
		totalBytes: number;
		byArena: {
			[k: string]: number;
		};
		nodes: number | null;
		result: string | null;
		limitBytes?: number;
		hitLimit: boolean;
		seconds: number | null;
		thread: string | null;
		phases: {
			name: string;
			totalBytes: number;
			byArena: {
				[k: string]: number;
			};
		}[];
		timeline: {
			sequence: number;
			depth: number;
			phase: string;
			continued: boolean;
			bytes: number;
			deltaBytes: number;
			nodes: number;
			temporaryPeakBytes?: number;
		}[];
	}[];
	tasks: {
		handle: string;
		level: number | null;
		osrBci: number | null;
		skipped: string | null;
		timesCompiled: number | null;
	}[];
	totalBytes: number;
	omitted: number;
	byPhase?: {
		phase: string | null;
		bytes: number;
	}[];
	atOnce?: {
		bytes: number;
		ms: number;
		handles: string[];
		compilations: number;
		parts: number[];
		startMs: number;
		endMs: number;
	};
	nativeMemory?: {
		file: string;
		line: number;
		totalCommittedBytes: number;
		reservedBytes: number | null;
		committedBytes: number | null;
		arenaBytes: number | null;
		arenaPeakBytes: number | null;
		arenas: number | null;
	}[];
	advice: {
		kind: 'peak' | 'limit' | 'reproduce' | 'temporary-peak' | 'recompiled' | 'stopped';
		handle: string;
		text: string;
		flag: string | null;
	}[];
	budget?: {
		bytes: number;
		over: string[];
	};
	replay?: {
		events: number;
		crashed: boolean;
		malformed: {
			startWithoutEnd: number;
			endWithoutStart: number;
			outside: number;
			otherThread: number;
			phaseEndWithoutStart: number;
			unclosedPhases: number;
			freeOfUnknownChunk: number;
			doubleFree: number;
			reusedAddresses: number;
			otherSize: number;
			otherArena: number;
			badSizes: number;
			afterCrash: number;
			unfinished: number;
			unbalanced: number;
		};
	};
}

/** The same of two recordings: {@link compareMemory}. */
export interface CompareMemoryResult {
	a: {
		name: string;
		runs: number;
		totalBytes: number;
	};
	b: {
		name: string;
		runs: number;
		totalBytes: number;
	};
	unchanged: number;
	changes: {
		handle: string;
		method: string;
		signature: string | null;
		compiler: string;
		kind: 'changed' | 'appeared' | 'vanished';
		bytesA: number;
		bytesB: number;
		deltaBytes: number;
		valuesA: number[];
		valuesB: number[];
		noise: boolean | null;
		pValue: number | null;
		cells: {
			phase: string;
			arena: string;
			bytesA: number;
			bytesB: number;
			deltaBytes: number;
		}[];
	}[];
}

type DiffShare = number | null;

/** What {@link diff} gives: decisions that changed between two runs. */
export interface DiffResult {
	runsA: DiffRun[];
	runsB: DiffRun[];
	summary: {
		changed: number;
		inTheirOwnRight: number;
		noise: number;
		noiseTest: DiffNoiseTest | null;
		runsNeeded: number;
		methodsCompared: number;
		methodsWithoutSamples: number;
		rewordedRefusals: number;
		hasProfiles: boolean;
	};
	differentFlags: {
		a: string[];
		b: string[];
	} | null;
	threadTime: DiffThreadClass[] | null;
	causes: {
		side: 'A' | 'B';
		kind:
			| 'biased'
			| 'not-inlined'
			| 'safepoint'
			| 'memory'
			| 'deoptimization-storm'
			| 'deoptimized-hot'
			| 'recompiled-hot'
			| 'failed'
			| 'interpreter'
			| 'compilers'
			| 'slow-compilation'
			| 'huge-method'
			| 'excluded'
			| 'osr-only'
			| 'code-cache'
			| 'contention'
			| 'slow-instructions'
			| 'stub-work'
			| 'native-work'
			| 'not-vectorized'
			| 'not-hoisted'
			| 'spills'
			| 'cold-inlined'
			| 'startup-inlining'
			| 'exceptions'
			| 'collector'
			| 'class-loading'
			| 'compile-queue'
			| 'startup';
		text: string;
		place: {
			method: string;
			line: number | null;
			bci: number | null;
		} | null;
		handles: string[];
		command: string | null;
	}[];
	methods: DiffMethod[];
	changes: DiffChange[];
	shifts: DiffShift[];
	moves: DiffMove[];
	failed: boolean;
	findings: {
		condition: string;
		threshold: number;
		handle: string;
	}[];
}
interface DiffRun {
	name: string;
	logKind: 'Graal' | 'HotSpot' | 'LLVM';
	kind: 'JIT' | 'AOT' | null;
	compilations: number;
	methods: number;
	logFiles: number;
	otherFiles: number;
	duplicateIds: number;
	profile: {
		name: string;
		totalPeriod: number;
		compiledPeriod: number;
		entries: number;
		found: number;
		sameName: number;
		duplicateEntries: number;
		forced: boolean;
		ofStacks?: {
			event: string;
			lost: number;
			failed: number;
		};
	} | null;
}
interface DiffNoiseTest {
	verdict: 'changed' | 'within chance' | 'too few runs';
	rank: number;
	tried: number;
	splits: number;
}
interface DiffThreadClass {
	class: string;
	a: DiffThreadShare;
	b: DiffThreadShare;
}
interface DiffThreadShare {
	samples: number;
	percent: number;
	low: number;
	high: number;
}
interface DiffMethod {
	handle: string;
	method: string;
	signature: string | null;
	namesake?: string;
	periodShareA: DiffShare;
	periodShareB: DiffShare;
	compileIdsA: string[];
	compileIdsB: string[];
	hotInA: boolean | null;
	hotInB: boolean | null;
	a?: {
		samples: number | null;
		percent: number | null;
		halfInterval: number | null;
		versions: {
			version: string;
			samples: number;
			percent: number;
		}[];
		codeBytes: number | null;
		memoryBytes: number | null;
	} | null;
	b?: {
		samples: number | null;
		percent: number | null;
		halfInterval: number | null;
		versions: {
			version: string;
			samples: number;
			percent: number;
		}[];
		codeBytes: number | null;
		memoryBytes: number | null;
	} | null;
	periodSharesA: (number | null)[];
	periodSharesB: (number | null)[];
}
interface DiffChange {
	handle: string;
	method: string;
	signature: string | null;
	namesake?: string;
	kind: 'callsite' | 'optimization' | 'compilation';
	before: string | null;
	after: string | null;
	where: DiffPlace[];
	phase?: string;
	phases?: string[];
	reasonsBefore?: string[];
	reasonsAfter?: string[];
	absence?: {
		reason: 'gave up' | 'inlined' | 'not finished' | 'lower tier' | 'never compiled';
		text: string;
	} | null;
	categories: [
		(
			| 'lost-inlining'
			| 'new-inlining'
			| 'new-indirect'
			| 'lost-indirect'
			| 'other-call'
			| 'lost-optimization'
			| 'new-optimization'
			| 'refusal'
			| 'compiled-only-in-a'
			| 'compiled-only-in-b'
		),
		...(
			| 'lost-inlining'
			| 'new-inlining'
			| 'new-indirect'
			| 'lost-indirect'
			| 'other-call'
			| 'lost-optimization'
			| 'new-optimization'
			| 'refusal'
			| 'compiled-only-in-a'
			| 'compiled-only-in-b'
		)[],
	];
	cause: string | null;
	runsA: number;
	ofA: number;
	runsB: number;
	ofB: number;
	noise: boolean | null;
	pValue?: number;
	periodShareA: DiffShare;
	periodShareB: DiffShare;
}
interface DiffPlace {
	method: string | null;
	signature: string | null;
	bci: number;
	source?: {
		a: string | null;
		b: string | null;
	};
}
interface DiffShift {
	kind: string;
	text: string | null;
	flags: string | null;
	countsA: number[];
	countsB: number[];
	moreIn: 'A' | 'B';
	changes: string[];
}
interface DiffMove {
	method: string;
	signature: string | null;
	namesake?: string;
	what: 'callsite' | 'phase';
	phase?: string;
	callee?: string | null;
	kind?: string;
	from: (string | DiffPlace)[];
	to: (string | DiffPlace)[];
	changes?: string[];
}

/** What `assay diff` gives of two profiles without compilations: methods whose share changed. */
export interface DiffStacksResult {
	a: {
		name: string;
		what: string;
		unit: string;
		total: number;
	};
	b: {
		name: string;
		what: string;
		unit: string;
		total: number;
	};
	methods: {
		method: string;
		ownA: number;
		ownB: number;
		ownPercentA: number;
		ownPercentB: number;
		totalA: number;
		totalB: number;
		totalPercentA: number;
		totalPercentB: number;
		points: number;
		pointsLow: number | null;
		pointsHigh: number | null;
		isSure: boolean;
	}[];
}

type DiffStoreShare = number | null;

/** What {@link diffStore} gives: decisions that changed between two sides of a store. */
export interface DiffStoreResult {
	store: string;
	a: DiffStoreSide;
	b: DiffStoreSide;
	summary: {
		falseDiscoveryRate: number;
		calls: number;
		differing: number;
		changed: number;
		noise: number;
		hasProfiles: boolean;
	};
	differentFlags: {
		a: string[];
		b: string[];
	} | null;
	threadTime: DiffStoreThreadClass[] | null;
	changes: DiffStoreChange[];
	failed: boolean;
	findings: {
		condition: string;
		threshold: number;
		handle: string;
	}[];
}
interface DiffStoreSide {
	where: string[];
	runs: number;
}
interface DiffStoreThreadClass {
	class: string;
	a: DiffStoreThreadShare;
	b: DiffStoreThreadShare;
}
interface DiffStoreThreadShare {
	samples: number;
	percent: number;
	low: number;
	high: number;
}
interface DiffStoreChange {
	handle: string;
	method: string;
	signature: string | null;
	kind: 'callsite' | 'optimization' | 'compilation';
	before: string | null;
	after: string | null;
	where: DiffStorePlace[];
	phase?: string;
	phases?: string[];
	reasonsBefore?: string[];
	reasonsAfter?: string[];
	absence?: {
		reason: 'gave up' | 'inlined' | 'not finished' | 'lower tier' | 'never compiled';
		text: string;
	} | null;
	categories: [
		(
			| 'lost-inlining'
			| 'new-inlining'
			| 'new-indirect'
			| 'lost-indirect'
			| 'other-call'
			| 'lost-optimization'
			| 'new-optimization'
			| 'refusal'
			| 'compiled-only-in-a'
			| 'compiled-only-in-b'
		),
		...(
			| 'lost-inlining'
			| 'new-inlining'
			| 'new-indirect'
			| 'lost-indirect'
			| 'other-call'
			| 'lost-optimization'
			| 'new-optimization'
			| 'refusal'
			| 'compiled-only-in-a'
			| 'compiled-only-in-b'
		)[],
	];
	cause: string | null;
	runsA: number;
	ofA: number;
	runsB: number;
	ofB: number;
	noise: boolean | null;
	pValue?: number;
	periodShareA: DiffStoreShare;
	periodShareB: DiffStoreShare;
	qValue: number;
}
interface DiffStorePlace {
	method: string | null;
	signature: string | null;
	bci: number;
}

/** What `assay bisect` gives: the first revision of which a fact holds, and how sure that is. */
export interface BisectResult {
	when: string;
	revisions: number;
	found: {
		lastGood: {
			name: string;
			title: string | null;
		};
		firstBad: {
			name: string;
			title: string | null;
		};
		skipped: {
			name: string;
			title: string | null;
		}[];
	} | null;
	comparison: {
		command: string;
		runsA: string[];
		runsB: string[];
		verdict: 'changed' | 'within chance' | 'too few runs' | null;
		inTheirOwnRight: number;
		changed: number;
		noise: number;
		changes: {
			handle: string;
			method: string;
			signature: string | null;
			kind: 'callsite' | 'optimization' | 'compilation';
			before: string | null;
			after: string | null;
			reasonBefore?: string;
			reasonAfter?: string;
			runsA: number;
			ofA: number;
			runsB: number;
			ofB: number;
			noise: boolean | null;
			periodShareA: number | null;
			periodShareB: number | null;
		}[];
	} | null;
	builds: number;
	runs: number;
	contradicting: number;
	steps: {
		revision: string;
		left: number;
		verdict: 'good' | 'bad' | 'unclear';
		observations: {
			holds: boolean | null;
			seen: string;
		}[];
	}[];
}

type ProfdiffNumber = 0 | 1 | 2;
type ProfdiffRows = ProfdiffNode[];

/** What {@link profdiff} gives: the report of Graal's profdiff. */
export interface ProfdiffResult {
	help?: string;
	options: ProfdiffOptions;
	experiments: ProfdiffExperiment[];
	methods: ProfdiffMethodSection[];
}
interface ProfdiffOptions {
	hotMinLimit: number;
	hotMaxLimit: number;
	hotPercentile: number | null;
	optimizationContextTree?: boolean;
	diffCompilations?: boolean;
	longBci?: boolean;
	sortInliningTree?: boolean;
	sortUnorderedPhases?: boolean;
	removeDetailedPhases?: boolean;
	pruneIdentities?: boolean;
	createFragments?: boolean;
	inlinerReasoning?: boolean;
}
interface ProfdiffExperiment {
	number: ProfdiffNumber;
	kind: 'JIT' | 'AOT' | null;
	compilations: number;
	compiledPeriod: number;
	hotCompilations: number;
	hotPeriod: number;
	profile: {
		kind: 'JIT' | 'AOT';
		executionId: string | null;
		entries: number;
		totalPeriod: number;
	} | null;
}
interface ProfdiffMethodSection {
	method: string;
	signature: string | null;
	hotOnlyIn: 0 | 1 | 2 | null;
	sides: {
		experiment: ProfdiffNumber;
		compilations: ProfdiffCompilation[];
	}[];
	shown: (ProfdiffShownCompilation | ProfdiffShownPair)[];
}
interface ProfdiffCompilation {
	compileId: string;
	multiMethodKey: string | null;
	period: number;
	hot: boolean;
	fragment: {
		of: string;
		path: ProfdiffPlace[];
	} | null;
}
interface ProfdiffPlace {
	method: string | null;
	signature: string | null;
	bci: number;
}
interface ProfdiffShownCompilation {
	kind: 'compilation';
	experiment: ProfdiffNumber;
	compileId: string;
	inliningTree?: ProfdiffRows;
	optimizationTree?: ProfdiffRows;
	contextTree?: ProfdiffRows;
}
interface ProfdiffNode {
	depth: number;
}
interface ProfdiffShownPair {
	kind: 'pair';
	left: string;
	right: string;
	inlining?: ProfdiffComparison;
	optimization?: ProfdiffComparison;
	context?: ProfdiffComparison;
}
interface ProfdiffComparison {
	outcome: 'difference' | 'no-difference' | 'too-big';
	nodes: ProfdiffNode1[];
}
interface ProfdiffNode1 {
	depth: number;
	operation: 'identity' | 'relabel' | 'insert' | 'delete';
	before?: ProfdiffStrictNode;
	after?: ProfdiffStrictNode;
}
interface ProfdiffStrictNode {
	kind: 'root' | 'inlined' | 'indirect' | 'direct' | 'devirtualized' | 'deleted' | 'phase' | 'optimization' | 'context-root' | 'info';
	method?: string | null;
	signature?: string | null;
	bci?: number;
	source?: string;
	reasons?: string[];
	receiverTypes?: {
		mature: boolean;
		types: {
			typeName: string;
			probability: number;
			methodName: string | null;
		}[];
	} | null;
	name?: string;
	event?: string;
	position?: ProfdiffPlace[];
	properties?: {
		key: string;
		value: string | number | boolean | null;
	}[];
	text?: 'duplicate-path';
}

type DoctorStrings = string[];
type DoctorJdk = {
	home: string;
	version: DoctorText;
	runtimeVersion: DoctorText;
	vendor: DoctorText;
} | null;
type DoctorText = string | null;
type DoctorFormat = string;
type DoctorCount = number;

/** What {@link doctor} gives: which evidence is there, and the flag for the rest. */
export interface DoctorResult {
	recording: DoctorRecording;
	machine?: DoctorMachine;
	missing: DoctorMissing[];
}
interface DoctorRecording {
	name: string;
	manifest: {
		state: string;
		command: DoctorStrings;
		jdk: DoctorJdk;
		clocks: {
			monotonicMinusRealtimeSeconds: number;
			uncertaintySeconds: number;
		} | null;
	} | null;
	files: DoctorFile[];
	joins: {
		name: 'address' | 'method' | 'time' | 'memory' | 'safepoints' | 'graal' | 'startup' | 'remarks';
		what: string;
		works: boolean;
		why: string;
	}[];
}
interface DoctorFile {
	name: string;
	kind: DoctorFormat;
	sizeBytes: DoctorCount;
	code: {
		processId: number | null;
		startMs: number | null;
		lastStampSeconds: number | null;
		isWhole: boolean;
		nmethods: DoctorCount;
		tasksQueued: DoctorCount;
		printedMethods: DoctorCount;
		machCodeBlocks: DoctorCount;
		disassembledLines: DoctorCount;
		codelets: DoctorCount;
	} | null;
	jitdump: {
		processId: number | null;
		pieces: DoctorCount;
		withLines: DoctorCount;
		firstSeconds: number | null;
		lastSeconds: number | null;
		problems: DoctorCount;
	} | null;
	samples: {
		total: DoctorCount;
		events: {
			name: string;
			count: DoctorCount;
		}[];
		firstSeconds: number | null;
		lastSeconds: number | null;
		inCompilations: number | null;
		problems: DoctorCount;
	} | null;
	startup: {
		functions?: DoctorCount;
		instructions?: DoctorCount;
	} | null;
	flightRecorder?: DoctorFlightRecorder;
	profile: {
		format:
			| 'flight-recording'
			| 'jfr-print'
			| 'thread-dumps'
			| 'jmh-stack'
			| 'async-profiler-text'
			| 'hprof-text'
			| 'collapsed-stacks'
			| 'speedscope'
			| 'pprof'
			| 'firefox-profile'
			| 'cpu-profile'
			| 'chrome-trace'
			| 'otlp-profiles';
		isCounted: boolean;
		events: {
			name: string;
			count: DoctorCount;
		}[];
		seconds: number | null;
		problems: DoctorCount;
	} | null;
}
interface DoctorFlightRecorder {
	chunks: DoctorCount;
	wholeChunks: DoctorCount;
	jvm: {
		version: DoctorText;
		arguments: DoctorText;
		command: DoctorText;
		processId: number | null;
		startMs: number | null;
	} | null;
	firstSeconds: number | null;
	lastSeconds: number | null;
	events: {
		name: string;
		count: DoctorCount;
	}[];
	missing: {
		event: string;
		setting: 'enabled' | 'threshold';
		value: string;
		gives: string;
	}[];
	debugNonSafepoints: boolean | null;
	problems: DoctorCount;
}
interface DoctorMachine {
	java: {
		path: DoctorText;
		jdk: DoctorJdk;
		hsdis: DoctorText;
	};
	perf: {
		version: string;
		paranoid: number | null;
		hardwareCycles: boolean;
		failure: DoctorText;
	} | null;
	asyncProfiler: DoctorText;
	plan: {
		passing: 'command-line' | 'jmh-jvm-args' | 'environment' | 'none';
		argv: DoctorStrings;
		environment: {
			[k: string]: string;
		};
		perfArgv: DoctorStrings | null;
		event: DoctorText;
	};
}
interface DoctorMissing {
	what: string;
	without: string;
	remedy: string;
}

/** What {@link order} gives for `decode`. */
export interface OrderDecodeResult {
	functions: {
		symbol: string;
		demangled?: string | null;
		module: string | null;
		isLocal: boolean;
		file?: string;
		line?: number;
	}[];
	traces: {
		name: string;
		file: string;
		format:
			| 'assay dump'
			| 'clang order buffer'
			| 'LLVM raw profile'
			| 'LLVM indexed profile'
			| 'LLVM text profile'
			| 'llvm-profdata traces'
			| 'perf.data'
			| 'perf script'
			| 'GCC profile'
			| 'XRay log'
			| 'simpleperf samples'
			| 'dtrace'
			| 'uftrace text'
			| 'uftrace data'
			| 'executed instructions'
			| 'function list';
		weight: number;
		functions: number;
		isComplete: boolean;
	}[];
	collisions: {
		id: string;
		symbols: string[];
	}[];
	sharedNames: {
		symbol: string;
		ran: number;
		inMap: number;
	}[];
}

type OrderMergeTextOrNull = string | null;
type OrderMergeText = string;
type OrderMergeCount = number;
type OrderMergeStrings = string[];

/** What {@link order} gives for `merge`. */
export interface OrderMergeResult {
	output: OrderMergeTextOrNull;
	scenarios: {
		name: OrderMergeText;
		weight: number;
		functions: OrderMergeCount;
		own: OrderMergeCount;
	}[];
	inAll: OrderMergeCount;
	functions: {
		symbol: OrderMergeText;
		runs: OrderMergeCount;
		share: number;
		meanPlace: number;
	}[];
	pages:
		| {
				address: number;
				functions: OrderMergeCount;
				share: number;
		  }[]
		| null;
	comparedWith: 'each other' | 'merged order';
	pairs: {
		a: OrderMergeText;
		b: OrderMergeText;
		common: OrderMergeCount;
		onlyA: OrderMergeCount;
		onlyB: OrderMergeCount;
		tau: number | null;
	}[];
	disagreements: {
		symbol: OrderMergeText;
		earlyIn: OrderMergeText;
		earlyPlace: number;
		lateIn: OrderMergeText;
		latePlace: number;
		spread: number;
	}[];
	symbols: OrderMergeStrings;
}

type OrderOptimizeText = string;
type OrderOptimizeTextOrNull = string | null;
type OrderOptimizeCount = number;
type OrderOptimizeCountOrNull = number | null;
type OrderOptimizeStrings = string[];

/** What {@link order} gives for `optimize`. */
export interface OrderOptimizeResult {
	method: OrderOptimizeText;
	objective: 'pages' | 'windows';
	output: OrderOptimizeTextOrNull;
	traces: OrderOptimizeTrace[];
	sections: OrderOptimizeCount;
	classes: OrderOptimizeCount;
	fillers: OrderOptimizeCount;
	startUpCode: OrderOptimizeStrings;
	tried: OrderOptimizeCount;
	refused: OrderOptimizeCount;
	cold: {
		sizeBytes: OrderOptimizeCount;
		executedBytes: OrderOptimizeCount;
		executedPages: OrderOptimizeCount;
		functions: {
			symbol: OrderOptimizeText;
			sizeBytes: OrderOptimizeCount;
			executedBytes: OrderOptimizeCount;
		}[];
	} | null;
	layouts: {
		name: OrderOptimizeText;
		textPages: OrderOptimizeCount;
		entryPages: OrderOptimizeCount;
		execPages: OrderOptimizeCountOrNull;
		wholeFunctionPages: OrderOptimizeCount;
		windows64k: OrderOptimizeCount;
		areaUnderCurve: OrderOptimizeCount;
		codePages: OrderOptimizeCountOrNull;
		codeExecPages: OrderOptimizeCountOrNull;
		codeWindows64k: OrderOptimizeCountOrNull;
		byTrace: {
			trace: OrderOptimizeText;
			textPages: OrderOptimizeCount;
			entryPages: OrderOptimizeCount;
			execPages: OrderOptimizeCountOrNull;
			wholeFunctionPages: OrderOptimizeCount;
			windows64k: OrderOptimizeCount;
			areaUnderCurve: OrderOptimizeCount;
			codePages: OrderOptimizeCountOrNull;
			codeExecPages: OrderOptimizeCountOrNull;
			codeWindows64k: OrderOptimizeCountOrNull;
		}[];
	}[];
	blocks: {
		output: OrderOptimizeText;
		functions: OrderOptimizeCount;
		keptBytes: OrderOptimizeCount;
		coldBytes: OrderOptimizeCount;
		leastColdBytes: OrderOptimizeCountOrNull;
		tried: OrderOptimizeCount;
		refused: OrderOptimizeCount;
		compilers: OrderOptimizeStrings;
		sharedNames: OrderOptimizeStrings;
		untoldFunctions: OrderOptimizeCount;
	} | null;
	symbols: OrderOptimizeStrings;
}
interface OrderOptimizeTrace {
	name: OrderOptimizeText;
	weight: number;
	functions: OrderOptimizeCount;
	executedBytes: OrderOptimizeCountOrNull;
	unplaced: OrderOptimizeCount;
	ambiguous: OrderOptimizeCount;
	unknownNames: OrderOptimizeStrings;
	loaded: {
		slide: string;
		by: 'linked' | 'memory map' | 'entry' | 'functions' | null;
		share: number;
	} | null;
}

type OrderSimulateText = string;
type OrderSimulateCount = number;
type OrderSimulateCountOrNull = number | null;
type OrderSimulateStrings = string[];

/** What {@link order} gives for `simulate`. */
export interface OrderSimulateResult {
	recordedOn: OrderSimulateText;
	traces: OrderSimulateTrace[];
	layouts: {
		name: OrderSimulateText;
		textPages: OrderSimulateCount;
		entryPages: OrderSimulateCount;
		execPages: OrderSimulateCountOrNull;
		wholeFunctionPages: OrderSimulateCount;
		windows64k: OrderSimulateCount;
		areaUnderCurve: OrderSimulateCount;
		codePages: OrderSimulateCountOrNull;
		codeExecPages: OrderSimulateCountOrNull;
		codeWindows64k: OrderSimulateCountOrNull;
		kind: 'binary' | 'order';
		listedSections: OrderSimulateCountOrNull;
		byTrace: {
			trace: OrderSimulateText;
			textPages: OrderSimulateCount;
			entryPages: OrderSimulateCount;
			execPages: OrderSimulateCountOrNull;
			wholeFunctionPages: OrderSimulateCount;
			windows64k: OrderSimulateCount;
			areaUnderCurve: OrderSimulateCount;
			codePages: OrderSimulateCountOrNull;
			codeExecPages: OrderSimulateCountOrNull;
			codeWindows64k: OrderSimulateCountOrNull;
			lost: OrderSimulateCount;
			map: OrderSimulateMap;
		}[];
	}[];
}
interface OrderSimulateTrace {
	name: OrderSimulateText;
	weight: number;
	functions: OrderSimulateCount;
	executedBytes: OrderSimulateCountOrNull;
	unplaced: OrderSimulateCount;
	ambiguous: OrderSimulateCount;
	unknownNames: OrderSimulateStrings;
	loaded: {
		slide: string;
		by: 'linked' | 'memory map' | 'entry' | 'functions' | null;
		share: number;
	} | null;
}
interface OrderSimulateMap {
	pageBytes: OrderSimulateCount;
	firstPage: OrderSimulateCount;
	pages: string;
	newPageAt: OrderSimulateCount[];
	touchedAt: OrderSimulateCount[];
	firstFunctions: {
		name: string;
		page: OrderSimulateCount;
	}[];
}

type OrderLintCount = number;
type OrderLintText = string;
type OrderLintCountOrNull = number | null;
type OrderLintTextOrNull = string | null;

/** What {@link order} gives for `lint`. */
export interface OrderLintResult {
	symbols: OrderLintCount;
	found: OrderLintCount;
	sections: OrderLintCount;
	hasDebugNames: boolean;
	cold: {
		sizeBytes: OrderLintCount;
		executedBytes: OrderLintCount;
		executedPages: OrderLintCount;
		functions: {
			symbol: OrderLintText;
			sizeBytes: OrderLintCount;
			executedBytes: OrderLintCount;
		}[];
	} | null;
	coverage: {
		trace: OrderLintText;
		functions: OrderLintCount;
		listedFunctions: OrderLintCount;
		executedBytes: OrderLintCountOrNull;
		listedBytes: OrderLintCountOrNull;
		share: number;
	}[];
	findings: {
		kind: 'missing' | 'inlined' | 'ambiguous' | 'folded' | 'shared-section' | 'outside-text' | 'repeated' | 'coverage' | 'compiler' | 'stale' | 'unsplit';
		symbol: OrderLintTextOrNull;
		message: OrderLintText;
	}[];
}

type OrderMeasureText = string;
type OrderMeasureStrings = string[];
type OrderMeasureCountOrNull = number | null;
type OrderMeasureCount = number;
type OrderMeasureTextOrNull = string | null;

/** What `assay order measure` prints: page faults of a command, run by run. */
export interface OrderMeasureResult {
	program: OrderMeasureText;
	command: OrderMeasureStrings;
	notes: OrderMeasureStrings;
	runs: {
		kind: 'cold' | 'warm';
		residentPages: OrderMeasureCountOrNull;
		exitStatus: number | null;
		textFaults: OrderMeasureCount;
		textMajorFaults: OrderMeasureCount;
		windows64k: OrderMeasureCount;
		allFaults: OrderMeasureCount;
		majorFaults: OrderMeasureCount;
		pages: {
			address: OrderMeasureText;
			function: OrderMeasureTextOrNull;
		}[];
		codeFaults: OrderMeasureCount;
		codeMajorFaults: OrderMeasureCount;
		codeWindows64k: OrderMeasureCount;
		places: {
			kind: 'code' | 'read-only data' | 'relro' | 'data' | 'bss' | 'heap' | 'stack' | 'anonymous' | 'kernel' | 'unknown';
			file: OrderMeasureTextOrNull;
			faults: OrderMeasureCount;
			majorFaults: OrderMeasureCount;
		}[];
	}[];
}

type OrderRunText = string;
type OrderRunStrings = string[];
type OrderRunCount = number;
type OrderRunNumber = number;
type OrderRunFaults = {
	cold: {
		plain: {
			code: OrderRunNumber;
			all: OrderRunNumber;
		};
		order: {
			code: OrderRunNumber;
			all: OrderRunNumber;
		};
	};
	warm: {
		plain: {
			code: OrderRunNumber;
			all: OrderRunNumber;
		};
		order: {
			code: OrderRunNumber;
			all: OrderRunNumber;
		};
	};
} | null;
type OrderRunTimes = {
	workload: OrderRunCount;
	kind: 'cold' | 'warm';
	plainMs: OrderRunNumber[];
	orderMs: OrderRunNumber[];
	plainMedianMs: OrderRunNumber;
	orderMedianMs: OrderRunNumber;
	difference: {
		medianMs: OrderRunNumber;
		lowMs: OrderRunNumber;
		highMs: OrderRunNumber;
		confidence: OrderRunNumber;
	} | null;
	verdict: 'faster' | 'slower' | 'no difference told';
}[];

/** What `assay order run` prints: what an order won, measured, and how to keep it. */
export interface OrderRunResult {
	program: OrderRunText;
	folder: OrderRunText;
	build: OrderRunStrings;
	compiler: OrderRunText;
	source: {
		folder: OrderRunText;
		files: OrderRunCount;
		from: 'git' | 'folder';
	};
	builds: {
		kind: 'trace' | 'plain' | 'order' | 'block';
		folder: OrderRunText;
		log: OrderRunText;
		seconds: OrderRunNumber;
	}[];
	workloads: {
		command: OrderRunText;
		log: OrderRunText;
		processes: OrderRunCount;
		functions: OrderRunCount;
	}[];
	functions: {
		ran: OrderRunCount;
		instrumented: OrderRunCount;
	};
	order: {
		file: OrderRunText;
		method: OrderRunText;
		symbols: OrderRunCount;
	};
	pages: {
		plain: {
			wholeFunctionPages: OrderRunCount;
			windows64k: OrderRunCount;
			textPages: OrderRunCount;
			areaUnderCurve: OrderRunCount;
		};
		order: {
			wholeFunctionPages: OrderRunCount;
			windows64k: OrderRunCount;
			textPages: OrderRunCount;
			areaUnderCurve: OrderRunCount;
		};
		predicted: {
			wholeFunctionPages: OrderRunCount;
			windows64k: OrderRunCount;
			textPages: OrderRunCount;
			areaUnderCurve: OrderRunCount;
		};
	};
	faults: OrderRunFaults;
	times: OrderRunTimes;
	blocks: {
		list: {
			file: OrderRunText;
			functions: OrderRunCount;
			keptBytes: OrderRunCount;
			coldBytes: OrderRunCount;
		};
		order: {
			file: OrderRunText;
			method: OrderRunText;
			symbols: OrderRunCount;
		};
		processes: OrderRunCount;
		pages: {
			plain: OrderRunTouched;
			order: OrderRunTouched;
			block: OrderRunTouched;
			predicted: OrderRunTouched;
		};
		faults: OrderRunFaults;
		times: OrderRunTimes;
		flags: {
			compile: OrderRunStrings;
			link: OrderRunStrings;
		};
	} | null;
	dropped: 'program' | 'everything';
	flags: {
		compile: OrderRunStrings;
		link: OrderRunStrings;
	};
	notes: OrderRunStrings;
}
interface OrderRunTouched {
	codePages: OrderRunCount;
	codeWindows64k: OrderRunCount;
}

/** What `assay order instrument` prints: modules, and where they went. */
export interface OrderInstrumentResult {
	map: string;
	output: string;
	buildId: string;
	bufferEntries: number;
	isRing: boolean;
	runtime: string;
	modules: {
		id: number;
		name: string;
		source: string;
		hash: string;
		input: string;
		output: string;
		sizeBytes: number;
		functions: {
			id: number;
			symbol: string;
			linkage: string;
			comdat: string | null;
			file: string | null;
			line: number | null;
		}[];
		omitted: {
			symbol: string;
			reason: 'available_externally' | 'naked' | 'ifunc-resolver' | 'noprofile' | 'annotated' | 'skipped' | 'not-selected';
		}[];
	}[];
}

/** What `assay collect` prints: the runs that went into a store. */
export interface CollectResult {
	store: string;
	runs: {
		run: string;
		recording: string;
		processId: number | null;
		day: string;
		state: 'collected' | 'known';
		rows: {
			[k: string]: number;
		};
	}[];
}

/** What `assay query` prints: the rows that answer a question about a store. */
export interface QueryResult {
	store: string;
	question: string | null;
	engine: 'duckdb' | 'trino';
	sql: string;
	where: string[];
	columns: {
		name: string;
		type: 'text' | 'integer' | 'number' | 'boolean';
		unit: string | null;
		meaning: string | null;
	}[];
	rows: (string | number | boolean | null)[][];
	leftOut: number;
}

/** What `assay compact` prints: what went from a store into a new one. */
export interface CompactResult {
	store: string;
	into: string;
	runs: number;
	tables: {
		table: string;
		rowsBefore: number;
		rowsAfter: number;
		filesBefore: number;
		filesAfter: number;
		bytesBefore: number;
		bytesAfter: number;
	}[];
}

/** What {@link exportTables} gives: the tables of a recording. */
export interface ExportResult {
	tables: {
		compilations?: ExportCompilations[];
		inlining?: ExportInlining[];
		samples?: ExportSamples[];
		regions?: ExportRegions[];
		safepoints?: ExportSafepoints[];
		memory?: ExportMemory[];
		arenas?: ExportArenas[];
	};
}
interface ExportCompilations {
	handle: string | null;
	compileId: string | null;
	kind: string | null;
	method: string | null;
	signature: string | null;
	compiler: string | null;
	level: number | null;
	osrBci: number | null;
	samples: number | null;
	queuedMs: number | null;
	startedMs: number | null;
	doneMs: number | null;
	installedMs: number | null;
	notEntrantMs: number | null;
	notEntrantReason: string | null;
	removedMs: number | null;
	failure: string | null;
	sizeBytes: number | null;
	nmethodBytes: number | null;
	bytecodeBytes: number | null;
	inlinedBytes: number | null;
	invocations: number | null;
	backedges: number | null;
	deoptimizations: number | null;
	threadId: number | null;
}
interface ExportInlining {
	compileId: string | null;
	method: string | null;
	compiler: string | null;
	level: number | null;
	bcis: string | null;
	bci: number | null;
	depth: number | null;
	callee: string | null;
	inlined: boolean | null;
	intrinsic: boolean | null;
	reason: string | null;
	receivers: string | null;
}
interface ExportSamples {
	timeSeconds: number | null;
	thread: string | null;
	threadId: number | null;
	event: string | null;
	period: number | null;
	kind: string | null;
	method: string | null;
	line: number | null;
	bci: number | null;
	library: string | null;
	address: string | null;
	compileId: string | null;
	compiledMethod: string | null;
	compiler: string | null;
	level: number | null;
	depth: number | null;
	stack: string | null;
}
interface ExportRegions {
	handle: string | null;
	method: string | null;
	source: string | null;
	library: string | null;
	compileId: string | null;
	startAddress: string | null;
	endAddress: string | null;
	samples: number | null;
	percent: number | null;
	percentLow: number | null;
	percentHigh: number | null;
	isRankSure: boolean | null;
	instructions: number | null;
	loopDepth: number | null;
	owner: string | null;
	ownerSamples: number | null;
}
interface ExportSafepoints {
	operation: string | null;
	endUptimeNs: number | null;
	endMonotonicNs: number | null;
	endEpochNs: string | null;
	sinceLastNs: number | null;
	reachingNs: number | null;
	cleanupNs: number | null;
	atSafepointNs: number | null;
	leavingNs: number | null;
	totalNs: number | null;
	runningThreads: number | null;
	totalThreads: number | null;
	lateThreads: string | null;
	line: number | null;
}
interface ExportMemory {
	handle: string | null;
	compileId: string | null;
	compiler: string | null;
	level: number | null;
	osrBci: number | null;
	method: string | null;
	signature: string | null;
	totalBytes: number | null;
	nodes: number | null;
	result: string | null;
	limitBytes: number | null;
	hitLimit: boolean | null;
	seconds: number | null;
	thread: string | null;
}
interface ExportArenas {
	handle: string | null;
	compileId: string | null;
	arena: string;
	bytes: number;
}

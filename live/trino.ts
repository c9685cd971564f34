/** A Trino of one process, from Maven Central, with a Hive and an Iceberg catalog over a folder: what a team has as a service, for a test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findJdk } from './jdks.js';
import { downloadFromMaven } from './packages.js';

const VERSION = '476';
/** Kept between runs of the tests: a gigabyte. */
const INSTALLED = path.join(import.meta.dirname, '..', '.cache', `trino-${VERSION}`);
const START_MS = 240_000;

export interface RunningTrino {
	/** `http://127.0.0.1:41234` */
	readonly server: string;
	stop(): void;
}

/** `folder` holds its files, and `root` is what `local:///` stands for. */
export async function startTrino(folder: string, root: string): Promise<RunningTrino> {
	const home = install();
	const port = await freePort();
	const data = path.join(folder, 'trino');
	const catalogs = path.join(data, 'etc', 'catalog');
	fs.mkdirSync(catalogs, { recursive: true });
	const write = (name: string, lines: readonly string[]): string => {
		const file = path.join(data, 'etc', name);
		fs.writeFileSync(file, `${lines.join('\n')}\n`);
		return file;
	};
	const config = write('config.properties', [
		'coordinator=true',
		'node-scheduler.include-coordinator=true',
		`http-server.http.port=${port}`,
		`discovery.uri=http://127.0.0.1:${port}`,
		'catalog.management=static',
		'query.max-memory=1GB',
		'query.max-memory-per-node=600MB',
	]);
	write(path.join('catalog', 'hive.properties'), [
		'connector.name=hive',
		'hive.metastore=file',
		'hive.metastore.catalog.dir=local:///metastore',
		'fs.native-local.enabled=true',
		`local.location=${root}`,
	]);
	// Procedures that take over files of Hive tables find them in the metastore of the Iceberg catalog.
	write(path.join('catalog', 'iceberg.properties'), [
		'connector.name=iceberg',
		'iceberg.catalog.type=TESTING_FILE_METASTORE',
		'hive.metastore.catalog.dir=local:///metastore',
		'iceberg.add-files-procedure.enabled=true',
		'fs.native-local.enabled=true',
		`local.location=${root}`,
	]);
	const flags = ['-Xmx2G', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '--sun-misc-unsafe-memory-access=allow', '--add-modules', 'jdk.incubator.vector'];
	const properties = {
		'node.environment': 'test',
		'node.id': 'assay',
		'node.data-dir': path.join(data, 'data'),
		config,
		'plugin.dir': path.join(home, 'plugin'),
	};
	const settings = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
	const log = fs.openSync(path.join(data, 'log.txt'), 'w');
	const server = spawn(findJdk(25).java, ['-cp', path.join(home, 'lib', '*'), ...flags, ...settings, 'io.trino.server.TrinoServer'], {
		cwd: data,
		stdio: ['ignore', log, log],
	});
	const stop = (): void => void server.kill('SIGKILL');
	await started(server, `http://127.0.0.1:${port}`, path.join(data, 'log.txt')).catch((error: unknown) => {
		stop();
		throw error;
	});
	return { server: `http://127.0.0.1:${port}`, stop };
}

function install(): string {
	const home = path.join(INSTALLED, `trino-server-core-${VERSION}`);
	installServer(home);
	installPlugin(home, 'iceberg');
	return home;
}

function installPlugin(home: string, name: string): void {
	const plugins = path.join(home, 'plugin');
	if (!fs.existsSync(path.join(plugins, name))) {
		const archive = downloadFromMaven(plugins, `io.trino:trino-${name}:${VERSION}:zip`);
		execFileSync(path.join(path.dirname(findJdk(25).java), 'jar'), ['--extract', '--file', archive], { cwd: plugins });
		fs.rmSync(archive);
		fs.renameSync(path.join(plugins, `trino-${name}-${VERSION}`), path.join(plugins, name));
	}
}

function installServer(home: string): void {
	if (!fs.existsSync(home)) {
		const unfinished = `${INSTALLED}.${process.pid}`;
		fs.mkdirSync(unfinished, { recursive: true });
		const core = downloadFromMaven(unfinished, `io.trino:trino-server-core:${VERSION}:tar.gz`);
		execFileSync('tar', ['-xzf', core, '-C', unfinished]);
		const plugins = path.join(unfinished, `trino-server-core-${VERSION}`, 'plugin');
		// None of the others is asked for, and each takes time to load.
		fs.rmSync(plugins, { recursive: true });
		fs.mkdirSync(plugins);
		installPlugin(path.join(unfinished, `trino-server-core-${VERSION}`), 'hive');
		fs.rmSync(core);
		fs.renameSync(unfinished, INSTALLED);
	}
}

function freePort(): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = net.createServer();
		server.once('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const { port } = server.address() as net.AddressInfo;
			server.close(() => resolve(port));
		});
	});
}

async function started(server: ChildProcess, url: string, log: string): Promise<void> {
	for (const end = Date.now() + START_MS; Date.now() < end; await wait(250)) {
		if (server.exitCode !== null) {
			break;
		}
		const answer = await fetch(`${url}/v1/info`).then(
			(response) => response.json() as Promise<{ starting?: boolean }>,
			() => null,
		);
		if (answer?.starting === false) {
			return;
		}
	}
	throw new Error(`Trino did not start:\n${fs.readFileSync(log, 'utf8').split('\n').slice(-20).join('\n')}`);
}

/** Programs of other people from package registries, for the tests that open what assay wrote with them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Installs packages of npm (`speedscope@1.25.0`) into a folder; the result is its node_modules. */
export function installFromNpm(folder: string, packages: readonly string[]): string {
	fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
	attempt(`npm cannot install ${packages.join(', ')}`, () =>
		execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }),
	);
	return path.join(folder, 'node_modules');
}

/** Builds a program from its Go module (`github.com/google/pprof@v0.0.0-…`) into a folder; the result is its path. */
export function installFromGo(folder: string, module: string): string {
	attempt(`go cannot install ${module}: this test needs Go and its module proxy`, () =>
		execFileSync('go', ['install', module], { env: { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' }, stdio: ['ignore', 'ignore', 'pipe'] }),
	);
	return path.join(folder, path.basename(module.replace(/@.*$/, '')));
}

/** Makes an environment of Python in a folder with packages of PyPI (`opentelemetry-proto==1.45.2`); the result is its interpreter. */
export function installFromPypi(folder: string, packages: readonly string[]): string {
	const python = path.join(folder, 'python', 'bin', 'python');
	attempt(`pip cannot install ${packages.join(', ')}: this test needs Python 3 with venv`, () => {
		execFileSync('python3', ['-m', 'venv', path.join(folder, 'python')], { stdio: ['ignore', 'ignore', 'pipe'] });
		execFileSync(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages], { stdio: ['ignore', 'ignore', 'pipe'] });
	});
	return python;
}

/** Downloads an archive from Maven Central (`com.h2database:h2:2.3.232`, `io.trino:trino-server-core:476:tar.gz`) into a folder; the result is its path. */
export function downloadFromMaven(folder: string, coordinates: string): string {
	const [group = '', artifact = '', version = '', type = 'jar'] = coordinates.split(':');
	const name = `${artifact}-${version}.${type}`;
	const file = path.join(folder, name);
	const url = `https://repo1.maven.org/maven2/${group.replaceAll('.', '/')}/${artifact}/${version}/${name}`;
	attempt(`${url} cannot be downloaded`, () => execFileSync('curl', ['-sSfL', '--retry', '2', '-o', file, url], { stdio: ['ignore', 'ignore', 'pipe'] }));
	return file;
}

function attempt(message: string, run: () => unknown): void {
	try {
		run();
	} catch (error) {
		const said = (error as { stderr?: Buffer }).stderr?.toString().trim();
		throw new Error(`${message}${said ? `:\n${said}` : ` (${(error as Error).message})`}`);
	}
}

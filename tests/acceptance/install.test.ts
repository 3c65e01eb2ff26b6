import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packBerth } from '../../tools/pack-berth/pack-berth.ts';
import { REPO } from '../harness/berth.ts';
import { folderBytes } from '../harness/folder-bytes.ts';
import { freePort } from '../harness/free-port.ts';
import { guideBlocks } from '../harness/guide-shell.ts';
import { needs } from '../harness/needs.ts';
import { findProcesses } from '../harness/processes.ts';
import { waitFor } from '../harness/wait-for.ts';

const run = promisify(execFile);
const { version } = JSON.parse(readFileSync(path.join(REPO, 'package.json'), 'utf8')) as { version: string };

let folder: string;
let packed: readonly string[];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'berth-install-'));
  packed = await packBerth(REPO, path.join(folder, 'packed'));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const at = (...names: readonly string[]) => path.join(folder, ...names);

/** A shell without the settings of this run, in which `npx` must find what is installed. npm needs the rest to reach the registry. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(BERTH|npm|VITEST|NODE_ENV)/.test(name))),
  npm_config_yes: 'false',
};

/** Makes an empty folder and installs tarballs in it, with their dependencies from the registry. */
async function install(name: string, tarballs: readonly string[]): Promise<void> {
  mkdirSync(at(name));
  await writeFile(at(name, 'package.json'), '{"private":true}');
  const words = ['install', '--no-audit', '--no-fund', ...tarballs];
  await run('npm', words, { cwd: at(name), env: environment, maxBuffer: 1 << 24 });
}

function npx(name: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) {
  return run('npx', ['berth', ...words], { cwd: at(name), env: { ...environment, ...more } });
}

/** The files of an installed package. */
const filesOf = (name: string, packageName: string) =>
  globSync('**/*', { cwd: at(name, 'node_modules', packageName), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(at(name, 'node_modules', packageName), path.join(entry.parentPath, entry.name)));

// Fails when the bundle holds a time, an absolute path or files in the order of the file system.
it('packs the same bytes from the same sources, and nothing of the machine', async () => {
  const again = await packBerth(REPO, at('again'));
  for (const [index, file] of packed.entries()) {
    expect(readFileSync(again[index] as string).equals(readFileSync(file))).toBe(true);
  }
}, 120_000);

describe('the command line, installed from its tarball', () => {
  beforeAll(() => install('developer', [packed[0] as string]), 120_000);

  it('is one small package that runs', async () => {
    expect(folderBytes(at('developer/node_modules'))).toBeLessThan(20_000_000);
    expect(await npx('developer', ['--version'])).toMatchObject({ stdout: `${version}\n`, stderr: '' });
    expect(filesOf('developer', 'berth-cli').filter((name) => /\.test\.|^apps\/\w+\/src\//.test(name))).toEqual([]);
  });

  it('says how to install the server, which it does not have', async () => {
    const missing = expect.stringContaining('Run `npm install berth-server`');
    await expect(npx('developer', ['start'])).rejects.toMatchObject({ code: 1, stderr: missing });
    await expect(npx('developer', ['admin', 'disk', '--data', '.'])).rejects.toMatchObject({ code: 1 });
  });

  it('creates projects from its templates, and has the agent library for those without a registry', async () => {
    await npx('developer', ['init', 'agent', 'vendored', '--vendor']);
    expect(globSync('vendor/*.tgz', { cwd: at('developer/vendored') })).toEqual([`vendor/berth-agent-${version}.tgz`]);
  });
});

describe('the server, installed from its tarball', () => {
  let server: ChildProcess;
  let output = '';
  let url = '';

  beforeAll(async () => {
    await install('operator', packed);
    const port = String(await freePort());
    url = `http://localhost:${port}`;
    server = spawn('npx', ['berth', 'start', '--port', port, '--storage-port', '0'], {
      cwd: at('operator'),
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [server.stdout, server.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    await waitFor('the address', () => server.exitCode !== null || output.includes('  API key   berth_'));
    expect(server.exitCode, output).toBeNull();
  }, 300_000);
  afterAll(async () => {
    if (server?.exitCode === null) process.kill(-(server.pid as number), 'SIGKILL');
  });

  it('runs, with its pages', async () => {
    expect(output).toContain(`Berth ${version} is running`);
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/assets/')]);
  });

  it('deploys its example agent and serves its library', { timeout: 180_000 }, async () => {
    await waitFor('the agent', () => /^ {2}(Agent|The example)/m.test(output), { timeoutMs: 150_000 });
    expect(output).toContain('  Agent     http://agent-echo.localhost:');
    const library = (await (await fetch(`${url}/npm/@berth/agent`)).json()) as { readonly versions: object };
    expect(Object.keys(library.versions)).toEqual([version]);
  });

  it('does what the guide says', { timeout: 120_000 }, async (context) => {
    await needs(context, 'curl');
    const [installation, use] = guideBlocks('install', 'sh', 'Try it');
    // As `beforeAll` did, from the tarballs.
    expect(installation).toBe('npm install berth-server\n');
    const script = (use ?? '').replaceAll('localhost:8787', `localhost:${new URL(url).port}`);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: at('operator'),
      env: { ...environment, BERTH_URL: url },
    });
    expect(stdout).toContain(url.replace('localhost', 'my-project.localhost'));
  });

  it('takes a deploy from the command line of another folder', { timeout: 120_000 }, async (context) => {
    await needs(context, 'curl');
    const key = readFileSync(at('operator/.berth/api-key'), 'utf8').trim();
    await npx('developer', ['init', 'service', 'shop']);
    const variables = { BERTH_URL: url, BERTH_API_KEY: key };
    const { stdout } = await npx('developer', ['deploy', 'shop', '--quiet'], variables);
    expect(stdout.trim()).toBe(url.replace('localhost', 'shop.localhost'));
    const answer = await run('curl', [
      '-fsS',
      '--resolve',
      `shop.localhost:${new URL(url).port}:127.0.0.1`,
      stdout.trim(),
    ]);
    expect(answer.stdout).not.toBe('');
  });

  it('runs the programs of the server for its operator', async () => {
    const { stdout } = await npx('operator', ['admin', 'disk']);
    expect(stdout).toContain('Live built revisions');
    expect(await npx('operator', ['start', '--settings'])).toMatchObject({
      stdout: expect.stringContaining('BERTH_DATA'),
    });
  });

  it('runs on the Node that it brings', async (context) => {
    await needs(context, 'procfs');
    const name = `node_modules/node-${process.platform}-${process.arch}/bin/node`;
    const [main] = findProcesses('berth-server/apps/server/dist/main.js').filter(({ command }) =>
      command.startsWith(at('operator', name)),
    );
    expect(main?.command).toContain('--expose-gc');
  });

  it('stops in order at one signal to all of its processes', async () => {
    const ended = once(server, 'exit');
    process.kill(-(server.pid as number), 'SIGTERM');
    await ended;
    await waitFor('the end', () => output.includes('Stopped.'));
    expect(output).not.toContain('Stopped immediately');
  });
});

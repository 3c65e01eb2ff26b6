import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentToken, callerOf, textOf } from '../harness/agents.ts';
import { cli } from '../harness/cli.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();
const npm = (words: readonly string[], cwd: string) =>
  promisify(execFile)('npm', [...words, '--no-audit', '--no-fund'], { cwd, maxBuffer: 1 << 24 });

/** A project outside of the repo, in which `berth init` was run. */
let folder: string;
const read = async (file: string) => JSON.parse(await readFile(path.join(folder, file), 'utf8'));

beforeAll(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'berth-outside-')), 'greeter');
  const made = await cli(berth, ['init', 'agent', folder]);
  expect(made).toMatchObject({ code: 0 });
  await npm(['install'], folder);
}, 300_000);
afterAll(() => rm(path.dirname(folder), { recursive: true, force: true }));

// Fails when the registry's metadata, integrity or tarball are not what npm expects.
it('is installed by npm from the platform, without a copy in the project', async () => {
  const installed = await read('node_modules/@berth/agent/package.json');
  expect(installed).toMatchObject({ name: '@berth/agent', version: '0.1.0' });
  const { packages } = await read('package-lock.json');
  expect(packages['node_modules/@berth/agent'].integrity).toMatch(/^sha512-/);
  const { stdout } = await promisify(execFile)('git', ['init', '-q', '.'], { cwd: folder }).then(() =>
    promisify(execFile)('git', ['ls-files', '-o', '--exclude-standard'], { cwd: folder }),
  );
  const sizes = stdout
    .trim()
    .split('\n')
    .map((file) => statSync(path.join(folder, file)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
});

// Fails when a source, a test or a program of the repo is published, or an export or its types are missing.
it('has the shape of a published package', async () => {
  const root = path.join(folder, 'node_modules/@berth/agent');
  const { stdout } = await npm(['pack', '--dry-run', '--json'], root);
  const [{ files, unpackedSize }] = JSON.parse(stdout) as [
    { readonly files: readonly { readonly path: string }[]; readonly unpackedSize: number },
  ];
  const names = files.map((file) => file.path);
  expect(names).toEqual(
    expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'THIRD-PARTY.txt', 'dist/index.js']),
  );
  expect(names.filter((name) => /\.test\.|(?<!\.d)\.ts$|\.map$/.test(name))).toEqual([]);
  expect(unpackedSize).toBeLessThan(20_000_000);
  const { exports, dependencies, scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  expect(scripts).toBeUndefined();
  expect(Object.keys(dependencies).filter((name) => name.startsWith('@berth/'))).toEqual([]);
  for (const [key, entry] of Object.entries(exports as Record<string, string | Record<string, string>>)) {
    if (typeof entry === 'string') continue;
    for (const file of Object.values(entry)) expect([key, names.includes(file.slice(2))]).toEqual([key, true]);
  }
});

it('runs outside of the repo', async () => {
  const child = spawn('node', ['agent.ts'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', NODE_ENV: 'development' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      url = /"url":"([^"]+)"/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    const answer = await fetch(`${url}/chat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer dev' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'ahoy' }] }),
    });
    expect(await answer.text()).toContain('ahoy');
    // The page is part of the package.
    expect(await (await fetch(`${url}/`)).text()).toContain('<script');
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
});

// Fails when the build asks the platform, which it can't reach, for the library.
it('is deployed with the library of the platform', { timeout: 300_000 }, async () => {
  const deployed = await cli(berth, ['deploy', folder, '--name', 'greeter']);
  expect(deployed).toMatchObject({ code: 0 });
  using turn = await callerOf(berth, 'greeter', await agentToken(berth, 'greeter')).turn('first', 'ahoy');
  expect(textOf(await turn.finish())).toContain('ahoy');
});

it('is the only package of the registry', async () => {
  const status = async (name: string) => (await fetch(`${berth.url}/npm/${name}`)).status;
  expect(await Promise.all(['@berth%2fagent', '@berth/agent'].map(status))).toEqual([200, 200]);
  const others = ['left-pad', '@berth/agent/-/agent-9.9.9.tgz', '@berth/agent/-/..%2f..%2fpackage.json', '%'];
  expect(await Promise.all(others.map(status))).toEqual([404, 404, 404, expect.any(Number)]);
});

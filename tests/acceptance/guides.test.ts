import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { REPO } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { needs } from '../harness/needs.ts';
import { greeter, type ProjectFiles } from '../harness/project-files.ts';
import { packProject } from '../harness/tar.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();
const run = promisify(execFile);

interface Guide {
  /** What lies in the folder its commands are run in. */
  readonly files?: ProjectFiles;
  /** What its reader has done before. */
  before?(): Promise<unknown>;
}

/** The guides whose shell blocks are run as they stand, one after another. */
const GUIDES: Readonly<Record<string, Guide>> = {
  volumes: {
    files: {
      'source.tar.gz': packProject(greeter('shop')),
      'app.tar.gz': packProject(greeter('from a volume')),
      'a.csv': 'a,b\n1,2\n',
      'dump.sql': 'SELECT 1;',
      'photos/one.jpg': 'one',
      'photos/2026/two.jpg': 'two',
    },
  },
  schedules: { files: inFolder('my-app', greeter('cron')) },
  sql: { files: { 'slowest.sql': 'SELECT COUNT(*) AS n FROM logs' } },
  agents: {},
  'agent-tests': {},
  tasks: {},
  'signing-in': { before: () => deployed(berth, 'my-app', { files: greeter('signed in') }) },
  security: {},
  metrics: { before: () => deployed(berth, 'my-app', { files: greeter('measured') }) },
  backups: {
    before: () => deployed(berth, 'saved', { files: greeter('saved'), fields: { volumes: '{"/data":"records"}' } }),
  },
};

/** How an operator starts the server is not for one that runs. */
const STARTS_SERVER = /^(BERTH_\w+=\S+ )*npm start.*$/gm;

it.for(Object.keys(GUIDES))(
  'the commands of docs/guides/%s.md work as they stand',
  { timeout: 120_000 },
  async (guide, context) => {
    await needs(context, 'curl', 'jq', 'python');
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-guide-'));
    writeFiles(folder.path, GUIDES[guide]?.files ?? {});
    await GUIDES[guide]?.before?.();
    const shims = path.join(folder.path, '.bin');
    const berthCommand = `exec "${process.execPath}" "${path.join(REPO, 'apps/cli/bin/berth.js')}"`;
    writeProgram(shims, 'berth', `${berthCommand} "$@"`);
    writeProgram(shims, 'npx', `shift; ${berthCommand} "$@"`);
    const env = {
      PATH: `${shims}:${process.env['PATH']}`,
      HOME: folder.path,
      KEY: berth.key,
      BERTH_URL: berth.url,
      BERTH_API_KEY: berth.key,
      // npm reaches the registry through whatever the machine trusts.
      ...(process.env['NODE_EXTRA_CA_CERTS'] && { NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] }),
    };
    const text = readFileSync(path.join(REPO, 'docs/guides', `${guide}.md`), 'utf8');
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) =>
      block.replace(STARTS_SERVER, ''),
    );
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      const script = `set -euo pipefail\n${block.replaceAll('localhost:8787', `localhost:${berth.port}`)}`;
      await run('bash', ['-c', script], { cwd: folder.path, env }).catch(
        (error: { stdout: string; stderr: string }) => {
          throw new Error(`${block}\n${error.stdout}\n${error.stderr}`);
        },
      );
    }
  },
);

function inFolder(folder: string, files: ProjectFiles): ProjectFiles {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}

function writeFiles(folder: string, files: ProjectFiles): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
}

function writeProgram(folder: string, name: string, line: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${line}\n`);
  chmodSync(path.join(folder, name), 0o755);
}

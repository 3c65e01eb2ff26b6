import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findExecutable, SYSTEM_PROGRAM_FOLDERS } from '@berth/runtime/drivers';
import { expect, test } from 'vitest';
import { canReach } from './identity/can-reach.ts';
import { createTemporaryFolder } from './testing/temporary-folder.ts';

const PLAIN_USER = 60_101;
const FILES = ['create-process-runtime.test.ts', 'isolation.test.ts'];
const here = dirname(fileURLToPath(import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const setpriv = findExecutable('setpriv', SYSTEM_PROGRAM_FOLDERS);

function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'the tests are run by a plain user already';
  if (setpriv === undefined) return 'there is no setpriv to become one with';
  if (![here, vitest, process.execPath].every((path) => canReach(path, undefined)))
    return 'they cannot read this clone';
  return undefined;
}

const obstacle = findObstacle();

/** What root's tests can't show: user namespaces, no control groups, no users to keep services apart. */
test.skipIf(obstacle)(
  `all of it as a plain user (${obstacle ?? 'in a run of its own'})`,
  { timeout: 180_000 },
  async () => {
    await using home = await createTemporaryFolder();
    await chown(home.path, PLAIN_USER, PLAIN_USER);
    const user = [`--reuid=${PLAIN_USER}`, `--regid=${PLAIN_USER}`, '--clear-groups'];
    const run = [
      process.execPath,
      vitest,
      'run',
      '--configLoader',
      'runner',
      '--reporter',
      'dot',
      ...FILES.map((file) => join(here, file)),
    ];
    const child = spawn(setpriv ?? '', [...user, ...run], {
      cwd: join(here, '../../..'),
      env: { PATH: process.env['PATH'], HOME: home.path, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [exitCode] = await once(child, 'exit');
    expect(exitCode, output).toBe(0);
    expect(output).toMatch(/Tests\s+\d+ passed/);
  },
);

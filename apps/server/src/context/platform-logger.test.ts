import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const MODULE = path.join(import.meta.dirname, 'platform-logger.ts');

/** Runs `source` with a `logger` in a process of its own, because the logger writes to its standard error, and kills it. */
function logged(level: string, source: string): readonly Record<string, unknown>[] {
  const program = `
    import { createPlatformLogger } from ${JSON.stringify(MODULE)};
    const logger = createPlatformLogger(${JSON.stringify(level)});
    ${source}
    process.kill(process.pid, 'SIGKILL');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  });
  // Output for people is apart from the log.
  expect(stdout).toBe('');
  return stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

// Fails when a name is dropped from the list: whoever reads the log of the server would have the key.
test('secrets are left out, one level deep too, in the fields of a child and at every level', () => {
  const lines = logged(
    'debug',
    `const secrets = { authorization: 'canary', apiKey: 'canary', secret: 'canary', password: 'canary', token: 'canary' };
    logger.debug({ ...secrets, kept: 1 }, 'top');
    logger.error({ request: { ...secrets, kept: 2 } }, 'below');
    logger.child({ token: 'canary', process: 'control' }).info({ kept: 3 }, 'child');
    logger.warn({}, 'last');`,
  );
  expect(JSON.stringify(lines)).not.toContain('canary');
  // Fails when lines are written in the background: the last words of a process that is killed would be lost.
  expect(lines.map(({ msg }) => msg)).toEqual(['top', 'below', 'child', 'last']);
  expect(lines[0]).toMatchObject({ kept: 1, level: 20 });
  expect(lines[1]).toMatchObject({ request: { kept: 2 }, level: 50 });
  expect(lines[2]).toMatchObject({ process: 'control', kept: 3, level: 30 });
  // Fails when the process id and host name of the library's defaults come along.
  expect(lines[0]).not.toHaveProperty('hostname');
});

// Fails when every round of every background task is logged while the database is away, or when bugs are dropped too.
test('an expected failure is logged once for each task, and a bug each time', () => {
  const lines = logged(
    'warn',
    `for (let round = 0; round < 3; round++) {
      for (const task of ['meter', 'schedules']) logger.error({ task, error: 'BerthError: away\\n at ' + round }, 'failed');
      logger.error({ error: 'Error: no room' }, 'bug');
    }`,
  );
  expect(lines.map(({ msg, task }) => task ?? msg)).toEqual(['meter', 'schedules', 'bug', 'bug', 'bug']);
});

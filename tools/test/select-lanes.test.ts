import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { LANES } from './lanes.ts';
import { selectLanes } from './select-lanes.ts';

const REPO = path.resolve(import.meta.dirname, '../..');
const at = (file: string) => path.join(REPO, file);
const folder = mkdtempSync(path.join(tmpdir(), 'berth-select-lanes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('selects all lanes without words, and lanes by name', () => {
  expect(selectLanes([])).toBe(LANES);
  expect(selectLanes(['faults', 'unit']).map(({ name }) => name)).toEqual(['unit', 'faults']);
});

// Fails when a file is run with other settings than its lane's.
it('runs a file with the settings of its lane', () => {
  const file = 'tests/faults/processes.test.ts';
  const { leftOut: _, ...faults } = LANES.find(({ name }) => name === 'faults') as (typeof LANES)[number];
  expect(selectLanes([at(file)])).toEqual([{ ...faults, name: `faults ${file}`, include: [file] }]);
});

it('runs a file in each of its lanes', () => {
  const file = 'tests/acceptance/logs.test.ts';
  expect(selectLanes([at(file)]).map(({ name, env }) => [name, env])).toEqual([
    [`acceptance ${file}`, undefined],
    // Where there is no engine, Postgres has this file on its own.
    ...(process.env['BERTH_TEST_ENGINE'] ? [] : [[`acceptance-postgres ${file}`, undefined]]),
    [`acceptance-docker ${file}`, { BERTH_RUNTIME: 'docker' }],
    [`acceptance-workers ${file}`, { BERTH_GATEWAY_WORKERS: '2' }],
  ]);
});

// Fails when each file gets a run of its own, and when a file named twice runs twice.
it('runs several files and folders of a lane together, each file once', () => {
  const lanes = selectLanes([at('tools/test'), at('tools/lock'), at('tools/test/tally.test.ts')]);
  expect(lanes).toHaveLength(1);
  expect(lanes[0]).toMatchObject({ name: expect.stringMatching(/^unit \(\d+ files\)$/), isSharing: true });
  const files = lanes[0]?.include ?? [];
  expect(files).toContain('tools/lock/complete-lock.test.ts');
  expect(files.filter((file) => file === 'tools/test/tally.test.ts')).toHaveLength(1);
  expect(files.every((file) => file.startsWith('tools/'))).toBe(true);
});

it('runs a lane whole when it is named beside its files', () => {
  expect(selectLanes(['unit', at('tools/lock')])).toEqual([LANES.find(({ name }) => name === 'unit')]);
});

it('runs a file of no lane alone', () => {
  const file = path.join(folder, 'a.test.ts');
  writeFileSync(file, '');
  expect(selectLanes([file])).toEqual([expect.objectContaining({ include: [path.relative(REPO, file)] })]);
});

// Fails when a path without tests is run: vitest would find nothing, or everything.
it('refuses a path that leads to no test', () => {
  expect(() => selectLanes(['unti'])).toThrow(/No lane is called "unti", and nothing is at .*\. Lanes: unit, /);
  expect(() => selectLanes([at('tools/verify')])).toThrow(/No test is in .*tools\/verify\./);
  expect(() => selectLanes([at('package.json')])).toThrow(/package\.json is no test\./);
});

// Fails when the command hands vitest the lane's own patterns.
it('runs one file by `npm test -- FILE`, and ends with 2 for a wrong one', async () => {
  const run = (...words: string[]) => {
    const env = { ...process.env, NO_COLOR: '1', VITEST: '' };
    return promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'main.ts'), ...words], {
      cwd: REPO,
      env,
    });
  };
  const { stdout } = await run('tools/test/tally.test.ts');
  expect(stdout).toContain('=== unit tools/test/tally.test.ts ===');
  expect(stdout).toMatch(/\n5 passed, 0 failed, 0 skipped\n$/);
  await expect(run('tools/verify')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No test is in'),
  });
});

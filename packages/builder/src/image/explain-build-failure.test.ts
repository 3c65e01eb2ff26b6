import { expect, test } from 'vitest';
import { explainBuildFailure, type FailedBuild } from './explain-build-failure.ts';

const FAILED: FailedBuild = {
  message: 'x',
  exitCode: undefined,
  step: { title: 'RUN npm ci', number: 3, count: 5, keyword: 'RUN' },
  isOutOfMemory: false,
  memoryLimit: '2 GiB',
  isGenerated: false,
  logs: ['last words'],
};
const FROM = { title: 'FROM --platform=linux/amd64 nope:1 AS base', number: 1, count: 2, keyword: 'FROM' };

// Fails when the cases are told in another order: a step that ran out of memory exits with 137, too.
test.each([
  [
    'a full disk',
    { message: 'write: no space left on device' },
    'out_of_capacity',
    /disk of the container engine is full/,
  ],
  ['memory', { exitCode: 137, isOutOfMemory: true }, 'build_failed', /^RUN npm ci \(step 3\/5\) exceeded the 2 GiB/],
  ['a signal', { exitCode: 137 }, 'build_failed', /was killed by signal 9$/],
  ['an exit', { exitCode: 1 }, 'build_failed', /^RUN npm ci \(step 3\/5\) exited with 1$/],
  ['an exit before a step', { exitCode: 1, step: undefined }, 'build_failed', /^The build exited with 1$/],
  [
    'a syntax error',
    { message: 'dockerfile parse error on line 7: unknown instruction: RUM' },
    'build_failed',
    /line 7: unknown/,
  ],
  [
    'BuildKit',
    { message: 'the --mount option requires BuildKit' },
    'build_failed',
    /uses an unsupported BuildKit feature/,
  ],
  [
    'a missing base',
    { message: 'not found', step: FROM },
    'build_failed',
    /^The base image nope:1 is neither .*Use an image/s,
  ],
  [
    'a missing base of ours',
    { message: 'not found', step: FROM, isGenerated: true },
    'build_failed',
    /--base-images LANGUAGE=IMAGE$/,
  ],
  ['an image of a COPY', { message: 'pull access denied for nope' }, 'build_failed', /^A base image is neither/],
  [
    'a missing file',
    { message: 'COPY failed: file not found: a.txt' },
    'build_failed',
    /failed: file not found: a\.txt\. The files must be in the archive/,
  ],
  ['anything else', { message: 'odd' }, 'build_failed', /^RUN npm ci \(step 3\/5\) failed: odd$/],
] as const)('%s', (_name, fields, code, message) => {
  const error = explainBuildFailure({ ...FAILED, ...fields });
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(error.details).toMatchObject({ logs: ['last words'] });
});

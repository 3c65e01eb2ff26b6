import { expect, test } from 'vitest';
import { toExit } from './watch-container.ts';

test.each([
  [0, false, { exitCode: 0, signal: null, isOutOfMemory: false }],
  [3, false, { exitCode: 3, signal: null, isOutOfMemory: false }],
  [143, false, { exitCode: null, signal: 'SIGTERM', isOutOfMemory: false }],
  [137, true, { exitCode: null, signal: 'SIGKILL', isOutOfMemory: true }],
  // A child was ended; the program went on and ended well, or gave up itself.
  [0, true, { exitCode: 0, signal: null, isOutOfMemory: false }],
  [1, true, { exitCode: 1, signal: null, isOutOfMemory: true }],
])('%i, out of memory %s', (exitCode, isOutOfMemory, expected) => {
  expect(toExit({ exitCode, isOutOfMemory })).toEqual(expected);
});

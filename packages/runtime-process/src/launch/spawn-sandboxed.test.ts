import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readSandboxStatus } from './spawn-sandboxed.ts';

test.each([
  [['{ "child-pid": 42, "pid-namespace": 1 }\n\n{ "exit-code": 3 }\n'], [42], true],
  [['{ "child-', 'pid": 42 }\n'], [42], false],
  [['not json\n', '[]\n', 'null\n', '{"child-pid":"7"}\n'], [], false],
  [[], [], false],
])('%j', async (chunks, pids, hasExecuted) => {
  const seen: number[] = [];
  const status = await readSandboxStatus(Readable.from(chunks), (pid) => seen.push(pid));
  expect([seen, status]).toEqual([pids, hasExecuted]);
});

test('no stream', async () => {
  expect(await readSandboxStatus(undefined, () => {})).toEqual(false);
});

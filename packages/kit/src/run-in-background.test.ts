import { expect, test } from 'vitest';
import type { LogFields, Logger } from './logger.ts';
import { describeError, runInBackground } from './run-in-background.ts';

test('a background task that fails is logged under its name, and ends nothing', async () => {
  const logged: LogFields[] = [];
  const ignore = () => {};
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (fields) => void logged.push(fields),
    child: () => logger,
  };
  runInBackground('tidy', Promise.resolve(), logger);
  runInBackground('upkeep', Promise.reject(new Error('disk full', { cause: new Error('ENOSPC') })), logger);
  runInBackground('other', Promise.reject('a text'), logger);
  await new Promise(setImmediate);
  expect(logged).toEqual([
    { task: 'upkeep', error: expect.stringMatching(/disk full[\s\S]*caused by: Error: ENOSPC/) },
    { task: 'other', error: 'a text' },
  ]);
});

test('whatever was thrown can be described', () => {
  expect([undefined, null, 0, { a: 1 }].map(describeError)).toEqual(['undefined', 'null', '0', '[object Object]']);
  const bare = new Error('without a stack');
  delete bare.stack;
  expect(describeError(bare)).toBe('without a stack');
  // Fails when only the first cause is shown.
  const deep = new Error('a', { cause: new Error('b', { cause: new Error('c', { cause: 'd' }) }) });
  expect(describeError(deep)).toMatch(/Error: a[\s\S]*Error: b[\s\S]*Error: c[\s\S]*caused by: d$/);
});

import { describeError } from '@berth/kit';
import { expect, test } from 'vitest';
import { createJsonLogger } from './process-context.ts';

// Fails when the cause has another name than `stack`: the platform's log shows that below the message, and no other field.
test('a log line has the level and the stack where log services look for them', () => {
  const lines: string[] = [];
  const logger = createJsonLogger({ write: (line) => lines.push(line), nowMs: () => 0 }, { agent: 'a' });
  const error = new Error('outer', { cause: new Error('inner') });
  logger.error({ error_id: '1a2b3c4d', error: describeError(error) }, 'a turn failed');
  logger.child({ chat: 'c' }).info({ level: 'usage' }, 'used');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      ...{ severity: 'ERROR', level: 'error', time: '1970-01-01T00:00:00.000Z', message: 'a turn failed', agent: 'a' },
      ...{ error_id: '1a2b3c4d', stack: expect.stringMatching(/Error: outer[\s\S]*caused by: Error: inner/) },
    },
    expect.objectContaining({ severity: 'INFO', level: 'usage', agent: 'a', chat: 'c' }),
  ]);
});

// Fails when DEBUG lines are always written: they have what people said.
test.each([
  [false, []],
  [true, ['DEBUG']],
])('writes debug lines only where it is verbose: %s', (isVerbose, severities) => {
  const lines: string[] = [];
  createJsonLogger({ write: (line) => lines.push(line), isVerbose })
    .child({})
    .debug({ args: {} }, 'a tool ran');
  expect(lines.map((line) => JSON.parse(line).severity)).toEqual(severities);
});

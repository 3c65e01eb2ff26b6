import path from 'node:path';
import { expect, test } from 'vitest';
import { createStyle } from '../output/style.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createServiceLog } from './service-log.ts';

const style = createStyle({ hasColor: false, hasUnicode: true });
const format = createServiceLog({ style, folder: '/project' });
const time = new Date(2026, 0, 31, 14, 5, 9).toISOString();
const line = (fields: object) => format(JSON.stringify({ severity: 'INFO', time, message: 'hi', ...fields }));

test.each([
  [{ port: 80, chat: { id: 'c' } }, '14:05:09 INFO hi port=80 chat={"id":"c"}'],
  [
    { message: 'request', method: 'GET', path: '/config', status: 200, durationMs: 2.2, requestId: 'req_1' },
    '14:05:09 GET /config 200 2 ms',
  ],
  [{ level: 50, severity: undefined }, '14:05:09 ERROR hi'],
  [{ message: 'a\x1b]0;title\x07b' }, '14:05:09 INFO ab'],
  [
    { event: 'tool', tool: 'roll_dice', args: { count: 2 }, ok: true, result: '[3,5]', duration_ms: 12 },
    '14:05:09 tool ✓ roll_dice {"count":2} → [3,5] 12 ms',
  ],
  [{ event: 'tool', tool: 'roll_dice', args: {}, ok: false, result: 'no' }, '14:05:09 tool ✗ roll_dice {} → no'],
  [
    { event: 'usage', level: 'usage', model: 'm', input: 120, output: 45, cost: '0.001200', duration_ms: 1_200 },
    '14:05:09 turn m · 120 tokens in, 45 out · $0.0012 · 1.2s',
  ],
  [{ event: 'usage', model: 'm', input_tokens: 1, output_tokens: 2 }, '14:05:09 turn m · 1 tokens in, 2 out'],
])('%j is a readable line', (fields, expected) => {
  expect(line(fields)).toBe(expected);
});

test.each(['Listening on 3000', '{"a":1}', '{broken', '[1]', ''])('%j is passed on as it is', (text) => {
  expect(format(text)).toBe(text);
});

// Fails when the source of the project's own line is left out, or that of a library is shown.
test('an error has its causes, and the source of the first line of the project in each', async () => {
  await using folder = await createTemporaryFolder();
  await folder.write({ 'agent.ts': ['one', 'two', '  throw new Error("x");', 'four', 'five', 'six'].join('\n') });
  const own = path.join(folder.path, 'agent.ts');
  const stack = [
    'Error: outer',
    `    at library (${folder.path}/node_modules/lib/index.js:1:1)`,
    `    at run (file://${own}:3:9)`,
    `    at again (file://${own}:5:1)`,
    '    at node:internal/process/task_queues:95:5',
    'caused by: Error: inner',
    `    at ${own}:1:1`,
  ].join('\n');
  const shown = createServiceLog({ style, folder: folder.path })(
    JSON.stringify({
      severity: 'ERROR',
      time,
      message: 'a turn failed, reference 1a2b3c4d',
      error_id: '1a2b3c4d',
      stack,
    }),
  );
  expect(shown.split('\n').slice(1)).toEqual([
    '  Error: outer',
    `      at library (${folder.path}/node_modules/lib/index.js:1:1)`,
    '      at run (agent.ts:3:9)',
    '      1 │ one',
    '      2 │ two',
    '    > 3 │   throw new Error("x");',
    '        │         ^',
    '      4 │ four',
    '      5 │ five',
    '      at again (agent.ts:5:1)',
    '      at node:internal/process/task_queues:95:5',
    '  caused by: Error: inner',
    '      at agent.ts:1:1',
    '    > 1 │ one',
    '        │ ^',
    '      2 │ two',
    '      3 │ three'.replace('three', '  throw new Error("x");'),
  ]);
});

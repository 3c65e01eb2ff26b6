import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { scripted } from './scripted.ts';
import { ask, collectAnswer, joined } from './testing/collect-answer.ts';

test('answers are given in order, word by word; the last one again', async () => {
  const model = scripted(['One  two ', { thinking: 'hm', calls: [{ tool: 'a', args: { b: 1 } }] }]);
  const first = await collectAnswer(model);
  expect(first.filter(({ type }) => type === 'text')).toHaveLength(2);
  expect(joined(first)[0]).toEqual({ type: 'text', text: 'One  two ' });
  for (const turn of [2, 3]) {
    expect(joined(await collectAnswer(model))).toMatchObject([
      { type: 'thinking', text: 'hm' },
      { type: 'thinking_end' },
      { type: 'tool_start', id: `call_${turn}_0`, tool: 'a' },
      { type: 'tool_delta', delta: '{"b":1}' },
      { type: 'tool_call', args: '{"b":1}' },
      { type: 'end', reason: 'tool_calls', usage: { input: 1 } },
    ]);
  }
});

test('it takes its time between words, and stops when it is told to', async () => {
  const clock = createFakeClock();
  const controller = new AbortController();
  const seen: unknown[] = [];
  const asked = (async () => {
    const model = scripted('a b c', { delayMs: 100, clock });
    for await (const event of model.stream({ ...ask('hi'), signal: controller.signal })) seen.push(event);
  })();
  await clock.elapse(250);
  expect(seen).toHaveLength(2);
  controller.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
});

test('a script without an answer is refused', () => {
  expect(() => scripted([])).toThrow('needs at least one answer');
});

import type { Part } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { turnMessages } from './turn-messages.ts';

const said: Part = { type: 'text', text: 'Half a sen' };

test('a turn that ended well is one message, its parts as markdown beside them', () => {
  const parts: Part[] = [said, { type: 'step', id: 's1', step: 'Look', ok: true, result: 'found' }];
  expect(turnMessages({ runId: 'r1', status: 'done', parts })).toEqual([
    { role: 'assistant', content: 'Half a sen', parts, runId: 'r1' },
  ]);
});

test.each(['stopped', 'interrupted', 'failed'] as const)(
  'a turn that was %s says so and closes its tools',
  (status) => {
    const parts: Part[] = [said, { type: 'step', id: 's1', step: 'Look' }, { type: 'step', step: 'only said' }];
    const [message] = turnMessages({ runId: 'r1', status, parts });
    expect(message).toMatchObject({ status, content: 'Half a sen' });
    expect(message?.parts?.[1]).toMatchObject({
      id: 's1',
      ok: false,
      result: expect.stringMatching(/before this ended/),
    });
    expect(message?.parts?.[2]).toEqual({ type: 'step', step: 'only said' });
  },
);

test('a turn that said nothing leaves nothing', () => {
  expect(turnMessages({ runId: 'r1', status: 'stopped', parts: [] })).toEqual([]);
});

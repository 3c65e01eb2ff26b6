import type { Part } from '@berth/contract/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepMessages } from './step-messages.ts';

test('an answer of text, calls and text again, as the model gave it', () => {
  const parts: Part[] = [
    { type: 'thinking', thinking: 'hm' },
    { type: 'text', text: 'I look.' },
    { type: 'step', id: 'a', step: 'Read x', tool_name: 'read', args: '{"path":"x"}', ok: true, result: 'content' },
    {
      type: 'step',
      id: 'b',
      step: 'Read y',
      tool_name: 'read',
      args: '{"path":"y"}',
      ok: false,
      result: 'There is no y.',
    },
    { type: 'status', status: 'looking' },
    { type: 'step', step: 'shown, not called' },
    { type: 'text', text: 'Done.' },
    { type: 'table', headers: ['a'], rows: [['1']] },
    { type: 'step', id: 'c', tool_name: 'wipe' },
  ];
  const messages = stepMessages(parts, '0');
  const ids = messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : []));
  expect(new Set(ids).size).toBe(3);
  expect(messages).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_call', id: ids[0], tool: 'read', args: '{"path":"x"}' },
        { type: 'tool_call', id: ids[1], tool: 'read', args: '{"path":"y"}' },
      ],
    },
    { role: 'tool', callId: ids[0], tool: 'read', text: 'content', isError: false },
    { role: 'tool', callId: ids[1], tool: 'read', text: 'There is no y.', isError: true },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Done.' },
        { type: 'text', text: '| a |\n| --- |\n| 1 |' },
        { type: 'tool_call', id: ids[2], tool: 'wipe', args: '{}' },
      ],
    },
    { role: 'tool', callId: ids[2], tool: 'wipe', text: 'It is not known how this ended.', isError: true },
  ]);
});

test('whatever the parts, each call has one result, right behind it', () => {
  const part = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: fc.string() }),
    fc.record({ type: fc.constant('thinking' as const), thinking: fc.string() }),
    fc.record(
      {
        type: fc.constant('step' as const),
        id: fc.string(),
        tool_name: fc.string(),
        ok: fc.boolean(),
        result: fc.string(),
      },
      { requiredKeys: ['type'] },
    ),
  );
  fc.assert(
    fc.property(fc.array(part), fc.string(), (parts, salt) => {
      let open: string[] = [];
      for (const message of stepMessages(parts as Part[], salt)) {
        if (message.role === 'tool') expect(message.callId).toBe(open.shift());
        else {
          expect(open).toEqual([]);
          expect(message.content).not.toEqual([]);
          if (message.role === 'assistant') {
            open = message.content.flatMap((one) => (one.type === 'tool_call' ? [one.id] : []));
            for (const id of open) expect(id).toMatch(/^[a-z0-9]{9}$/);
          }
        }
      }
      expect(open).toEqual([]);
    }),
  );
});

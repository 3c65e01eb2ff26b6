import type { NewMessage, StoredMessage } from '@berth/agent-store';
import { expect, test } from 'vitest';
import { readBack } from './read-back.ts';

function stored(...messages: NewMessage[]): StoredMessage[] {
  return messages.map((message, index) => ({ ...message, seq: index + 1, createdAtMs: 0 }));
}

const assistant = (text: string, more: Partial<NewMessage> = {}): NewMessage => ({
  role: 'assistant',
  content: text,
  parts: [{ type: 'text', text }],
  runId: 'r1',
  modelData: { signature: 'secret' },
  ...more,
});

test('what is shown has the fields of the contract only', () => {
  const attachments = [{ name: 'a.txt', path: 'attachments/a.txt' }];
  expect(
    readBack(stored({ role: 'user', content: 'Hi', attachments }, assistant('Hello', { status: 'stopped' }))),
  ).toEqual([
    { role: 'user', content: 'Hi', attachments },
    { role: 'assistant', content: 'Hello', parts: [{ type: 'text', text: 'Hello' }], status: 'stopped' },
  ]);
});

test('what an assistant says in several turns is one message, with the last status', () => {
  // Holds the agent to the contract: verifies('chats.merge')
  const rows = stored(
    { role: 'user', content: 'Do it' },
    assistant('May I?', { status: 'interrupted' }),
    { role: 'system', content: 'approved', isInternal: true },
    assistant('Done.'),
    { role: 'user', content: 'Thanks' },
    assistant('Welcome.'),
  );
  expect(readBack(rows)).toEqual([
    { role: 'user', content: 'Do it' },
    {
      role: 'assistant',
      content: 'May I?\n\nDone.',
      parts: [
        { type: 'text', text: 'May I?' },
        { type: 'text', text: 'Done.' },
      ],
    },
    { role: 'user', content: 'Thanks' },
    { role: 'assistant', content: 'Welcome.', parts: [{ type: 'text', text: 'Welcome.' }] },
  ]);
});

test('internal turns, of whatever role, are not shown', () => {
  const rows = stored(
    { role: 'user', content: 'secret', isInternal: true },
    { role: 'assistant', content: 'secret', isInternal: true },
    { role: 'system', content: 'secret' },
    { role: 'tool', content: 'secret' },
  );
  expect(readBack(rows)).toEqual([]);
});

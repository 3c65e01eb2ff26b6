import type { NewMessage, StoredMessage } from '@berth/agent-store';
import { describe, expect, test } from 'vitest';
import { sharedMessages } from '../shares/shared-message.ts';
import { readBack as readNumbered } from './read-back.ts';

/** The messages without their numbers, of which `chat-history-routes.test.ts` has the tests. */
const readBack = (...given: Parameters<typeof readNumbered>) =>
  readNumbered(...given).map(({ seq: _, ...message }) => message);

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

test('a user’s message is text, and its images and files are attachments', () => {
  // Holds the agent to the contract: verifies('chats.user-content'). Fails when the parts are shown as they were sent.
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image', image: 'attachments/ab-a.png' },
    { type: 'text', text: 'here' },
    { type: 'file', file: 'notes.txt' },
  ] as const;
  expect(readBack(stored({ role: 'user', content, attachments: [{ name: 'z', path: 'z' }] }))).toEqual([
    {
      role: 'user',
      content: 'Look\n\nhere',
      attachments: [
        { name: 'z', path: 'z' },
        { name: 'ab-a.png', path: 'attachments/ab-a.png' },
        { name: 'notes.txt', path: 'notes.txt' },
      ],
    },
  ]);
});

describe('what waits for the person', () => {
  const ask = { type: 'card', card: { type: 'ui', action: 'ask', question: 'Which?' } } as const;
  const confirm = (id: string, key: string) =>
    ({ type: 'card', card: { type: 'ui', action: 'confirm', id, key, tool: 'wipe', label: 'Wipe' } }) as const;
  const pending = (id: string) => ({ type: 'step', id, step: 'Wipe', args: '{}', pending: true }) as const;
  const parts = (messages: NewMessage[], waiting: string[], decided: string[] = []) =>
    readBack(stored(...messages), { waiting: new Set(waiting), decided: new Set(decided) }).map((one) => one.parts);
  const user: NewMessage = { role: 'user', content: 'Go' };

  test('comes back on the last message of the assistant until it is answered', () => {
    // Holds the agent to the contract: verifies('chats.cards'). Fails when a card stays with an earlier message, or after its
    // approval is gone, or when a question stays after the person's next message.
    const asked = assistant('May I?', {
      parts: [pending('a'), confirm('a', 'k1'), pending('b'), confirm('b', 'k2'), ask],
    });
    expect(parts([user, asked], ['k1'], ['k2'])).toEqual([
      undefined,
      [pending('a'), confirm('a', 'k1'), pending('b'), ask],
    ]);
    expect(parts([user, asked, user, assistant('Well.')], ['k1'], ['k2'])).toEqual([
      undefined,
      [pending('a'), pending('b')],
      undefined,
      [{ type: 'text', text: 'Well.' }, confirm('a', 'k1')],
    ]);
  });

  test('the step of a call is replaced when the call runs, and does not wait for ever', () => {
    // Holds the agent to the contract: verifies('step.pending'). Fails when the call is shown twice or still as waiting.
    const asked = assistant('', { parts: [pending('a'), confirm('a', 'k1')] });
    const done = { type: 'step', id: 'a', pending: false, ok: true, result: 'wiped' } as const;
    expect(parts([user, asked, user, assistant('Done.', { parts: [done] })], [])).toEqual([
      undefined,
      [{ type: 'step', id: 'a', step: 'Wipe', args: '{}', ok: true, result: 'wiped' }],
      undefined,
      [],
    ]);
    expect(parts([user, asked], [])[1]).toEqual([
      { type: 'step', id: 'a', step: 'Wipe', args: '{}', ok: false, result: expect.stringMatching(/^Not run: /) },
      { type: 'decision', key: 'k1', tool: 'wipe', label: 'Wipe', decision: 'expired' },
    ]);
    // Fails when a call that was denied, and whose turn never came, reads as one that no one decided on.
    const decision = { type: 'decision', key: 'k1', decision: 'deny', by: 'ann', at: '2026-01-01T00:00:00Z' } as const;
    const denied = parts([user, asked, assistant('', { parts: [decision] })], [])[1];
    expect(denied?.slice(1)).toEqual([decision]);
  });

  test('is of nobody but the person: an audience reads no cards', () => {
    // Fails when the shared view has its own rule for cards.
    const asked = assistant('', { parts: [confirm('a', 'k1'), ask] });
    expect(JSON.stringify(sharedMessages(stored(user, asked)))).not.toContain('card');
  });
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

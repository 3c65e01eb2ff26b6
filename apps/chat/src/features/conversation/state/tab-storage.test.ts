import { describe, expect, test } from 'vitest';
import { createStorage } from '../../../testing/create-storage.ts';
import { createDrafts, createKeptChats, createOutbox } from './tab-storage.ts';

/** A full storage. */
function fullStorage() {
  return {
    ...createStorage(),
    setItem() {
      throw new DOMException('full', 'QuotaExceededError');
    },
  };
}

const UNSENT = { question: { kind: 'question', content: 'hello', attachments: [] }, before: 2 } as const;
const CHAT = { id: 'c1', items: [UNSENT.question], isRunning: true };

test('drafts are kept by chat, and an empty one is forgotten', () => {
  const storage = createStorage();
  const drafts = createDrafts(storage);
  drafts.write('one', 'c1');
  drafts.write('new');
  expect([drafts.read('c1'), drafts.read(), drafts.read('c2')]).toEqual(['one', 'new', undefined]);
  expect(createDrafts(storage).read('c1')).toBe('one');
  drafts.write(undefined, 'c1');
  expect([drafts.read('c1'), drafts.read()]).toEqual([undefined, 'new']);
});

test('the message on its way outlives a reload, until it is known to be there', () => {
  const storage = createStorage();
  createOutbox(storage).write(UNSENT, 'c1');
  const outbox = createOutbox(storage);
  expect(outbox.read('c1')).toEqual(UNSENT);
  expect(outbox.read()).toBeUndefined();
  outbox.write(undefined, 'c1');
  expect(outbox.read('c1')).toBeUndefined();
});

test('the chat of an agent that keeps none is kept whole', () => {
  const storage = createStorage();
  createKeptChats(storage).write(CHAT);
  expect(createKeptChats(storage).read()).toEqual(CHAT);
  createKeptChats(storage).write(undefined);
  expect(createKeptChats(storage).read()).toBeUndefined();
});

test('a kept chat that is damaged is none', () => {
  const storage = createStorage();
  storage.setItem('berth-chat', '{"id":');
  expect(createKeptChats(storage).read()).toBeUndefined();
});

// Fails when a QuotaExceededError escapes: it would interrupt typing, sending or answering.
describe('a full storage', () => {
  test('keeps nothing, and stops nothing', () => {
    const storage = fullStorage();
    createDrafts(storage).write('one', 'c1');
    createOutbox(storage).write(UNSENT, 'c1');
    createKeptChats(storage).write(CHAT);
    expect([
      createDrafts(storage).read('c1'),
      createOutbox(storage).read('c1'),
      createKeptChats(storage).read(),
    ]).toEqual([undefined, undefined, undefined]);
  });
});

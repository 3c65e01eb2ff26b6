import { expect, test } from 'vitest';
import type { NewMessage } from '../ports/stored-message.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

/** Runs the contract tests of a {@link ChatStore}. */
export function describeChatStore(open: () => StoreFixture): void {
  test('a chat is made by what is first said of it, and merged after that', async () => {
    const { stores, ann } = open();
    const made = await stores.chats.patch(ann, 'c1', { title: 'T', meta: { a: 1, b: 2 } }, NOW_MS);
    expect(made).toEqual({
      id: 'c1',
      title: 'T',
      createdAtMs: NOW_MS,
      updatedAtMs: NOW_MS,
      costMicroUsd: 0,
      meta: { a: 1, b: 2 },
      generation: 1,
    });
    const patch = { favoritedAtMs: NOW_MS + 5, meta: { a: null, c: { d: [1] }, ['__proto__']: 3 } };
    const changed = await stores.chats.patch(ann, 'c1', patch, NOW_MS + 9);
    expect(changed).toMatchObject({ title: 'T', updatedAtMs: NOW_MS, favoritedAtMs: NOW_MS + 5 });
    expect(Object.entries(changed.meta)).toEqual([['b', 2], ['c', { d: [1] }], ...Object.entries(patch.meta).slice(2)]);
    expect(await stores.chats.find(ann, 'c1')).toEqual(changed);
    expect((await stores.chats.patch(ann, 'c1', { favoritedAtMs: null, title: null }, NOW_MS)).title).toBe('');
    expect(await stores.chats.find(ann, 'c1')).not.toHaveProperty('favoritedAtMs');
  });

  test('one caller writes the title of a chat, unless someone gave one', async () => {
    const { stores, ann } = open();
    const begin = async (id: string) => {
      const message = { message: { role: 'user', content: 'hello' }, title: 'hello' } as const;
      const run = { id: `run-${id}`, owner: ann, chatId: id, instance: 'i', nowMs: NOW_MS, staleBeforeMs: 0 };
      await stores.runs.begin({ ...run, isDetached: true, message } as Parameters<typeof stores.runs.begin>[0]);
    };
    await begin('c1');
    const claims = await Promise.all(Array.from({ length: 5 }, () => stores.chats.claimTitle(ann, 'c1')));
    expect(claims.filter(Boolean)).toHaveLength(1);
    await stores.chats.writeTitle(ann, 'c1', { title: 'Greeting', costMicroUsd: 7 });
    expect(await stores.chats.find(ann, 'c1')).toMatchObject({ title: 'Greeting', costMicroUsd: 7 });
    expect(await stores.chats.list(ann, { limit: 9, query: 'greet' })).toHaveLength(1);
    expect(await stores.chats.claimTitle(ann, 'c1')).toBe(false);
    await begin('c2');
    expect(await stores.chats.claimTitle(ann, 'c2')).toBe(true);
    await stores.chats.patch(ann, 'c2', { title: 'Mine' }, NOW_MS);
    await stores.chats.writeTitle(ann, 'c2', { title: 'Greeting', costMicroUsd: 7 });
    expect(await stores.chats.find(ann, 'c2')).toMatchObject({ title: 'Mine', costMicroUsd: 7 });
    await stores.chats.patch(ann, 'c3', { title: 'Mine' }, NOW_MS);
    await begin('c3');
    expect(await stores.chats.claimTitle(ann, 'c3')).toBe(false);
  });

  test('patches at once are all there', async () => {
    const { stores, ann } = open();
    const keys = Array.from({ length: 10 }, (_, index) => `key${index}`);
    await Promise.all(keys.map((key) => stores.chats.patch(ann, 'c1', { meta: { [key]: true } }, NOW_MS)));
    expect(Object.keys((await stores.chats.find(ann, 'c1'))?.meta ?? {}).sort()).toEqual(keys);
  });

  test("another owner's chat is as if it were not there", async () => {
    const { stores, ann, bob } = open();
    await stores.chats.append(ann, 'c1', [{ role: 'user', content: 'mine' }], NOW_MS);
    expect(await stores.chats.find(bob, 'c1')).toBeUndefined();
    expect(await stores.chats.list(bob, { limit: 10 })).toEqual([]);
    expect(await stores.chats.messages(bob, 'c1')).toEqual([]);
    expect(await stores.chats.trash(bob, 'c1', NOW_MS)).toBe(false);
    expect(await stores.chats.restore(bob, 'c1')).toBe(false);
    expect(await stores.chats.purge(bob, { chatId: 'c1', beforeMs: NOW_MS + 1 })).toBe(0);
    const end = { fromSeq: 1, lastSeq: 1, nowMs: NOW_MS };
    expect(await stores.chats.truncate(bob, 'c1', end)).toBe('missing');
    // The same id names another chat of another owner.
    expect(await stores.chats.create(bob, { id: 'c1', title: 'theirs' }, [], NOW_MS)).toBe(true);
    expect((await stores.chats.messages(ann, 'c1')).map(({ content }) => content)).toEqual(['mine']);
  });

  test('messages come back as they were given', async () => {
    const { stores, ann } = open();
    const messages: readonly NewMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'a' }], attachments: [{ name: 'f', path: 'attachments/f' }] },
      { role: 'system', content: 'summary', isInternal: true },
      {
        role: 'assistant',
        content: 'b',
        runId: 'run',
        status: 'stopped',
        modelData: { deep: [null, 'ü'] },
        parts: [{ type: 'text', text: 'b' }],
      },
    ];
    await stores.chats.append(ann, 'c1', messages, NOW_MS);
    const stored = await stores.chats.messages(ann, 'c1');
    expect(stored).toEqual(messages.map((message, index) => ({ ...message, seq: index + 1, createdAtMs: NOW_MS })));
    expect((await stores.chats.messages(ann, 'c1', { afterSeq: 2 })).map(({ seq }) => seq)).toEqual([3]);
    expect((await stores.chats.messages(ann, 'c1', { limit: 2 })).map(({ seq }) => seq)).toEqual([2, 3]);
  });

  test('text may be anything', async () => {
    const { stores, ann } = open();
    for (const text of ['a\0b', '\u{1f600}', "'; drop table chats; --", '\ud800', '\u202e', '$1 ?']) {
      const content = `${text} and more`;
      await stores.chats.patch(ann, 'c1', { title: content, meta: { [`key ${text}`]: text } }, NOW_MS);
      await stores.chats.append(ann, 'c1', [{ role: 'user', content, modelData: { text } }], NOW_MS);
      expect((await stores.chats.find(ann, 'c1'))?.title).toContain('and more');
      expect((await stores.chats.messages(ann, 'c1')).at(-1)).toMatchObject({ content, modelData: { text } });
      expect(await stores.chats.list(ann, { limit: 5, query: text })).toBeDefined();
    }
  });

  test('messages that come at once are numbered without a gap, and none is lost', async () => {
    const { stores, ann } = open();
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        stores.chats.append(
          ann,
          'c1',
          [
            { role: 'user', content: `${index}a` },
            { role: 'user', content: `${index}b` },
          ],
          NOW_MS,
        ),
      ),
    );
    const stored = await stores.chats.messages(ann, 'c1');
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    for (let index = 0; index < 20; index += 2) {
      expect(stored[index + 1]?.content).toBe(String(stored[index]?.content).replace('a', 'b'));
    }
  });

  test('a list is newest first, in pages without gaps or duplicates', async () => {
    const { stores, ann } = open();
    const ids = ['a', 'B', 'ü', 'z', '-', '_'];
    for (const [index, id] of ids.entries()) {
      // Two chats per timestamp.
      const atMs = NOW_MS + Math.floor(index / 2);
      await stores.chats.create(ann, { id, title: `Title ${id} 100%` }, [], atMs);
    }
    const all = await stores.chats.list(ann, { limit: 100 });
    expect(all.map(({ id }) => id)).toEqual(['_', '-', 'ü', 'z', 'a', 'B'].toSorted(sortAs(all)));
    expect(all.map(({ updatedAtMs }) => updatedAtMs)).toEqual([2, 2, 1, 1, 0, 0].map((ms) => NOW_MS + ms));
    for (const limit of [1, 2, 4]) {
      const seen: string[] = [];
      let after: { updatedAtMs: number; id: string } | undefined;
      for (;;) {
        const page = await stores.chats.list(ann, { limit, ...(after && { after }) });
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (page.length < limit) break;
      }
      expect(seen).toEqual(all.map(({ id }) => id));
    }
    const find = async (query: string) => (await stores.chats.list(ann, { limit: 9, query })).map(({ id }) => id);
    expect(await find('TITLE b')).toEqual(['B']);
    expect(await find('E Ü')).toEqual(['ü']);
    expect(await find('0%')).toHaveLength(6);
    expect(await find('%z')).toEqual([]);
    expect(await find('\\')).toEqual([]);
    await stores.chats.patch(ann, 'a', { title: 'Ärger' }, NOW_MS);
    expect(await find('ärg')).toEqual(['a']);
    await stores.chats.patch(ann, 'a', { title: '語'.repeat(5_000) }, NOW_MS);
    expect(await find('語語')).toEqual(['a']);
  });

  test('a chat in the trash is hidden everywhere else', async () => {
    const { stores, ann } = open();
    await stores.chats.append(ann, 'c1', [{ role: 'user', content: 'x' }], NOW_MS);
    expect(await stores.chats.trash(ann, 'c1', NOW_MS + 1)).toBe(true);
    expect(await stores.chats.trash(ann, 'c1', NOW_MS + 2)).toBe(false);
    expect(await stores.chats.listTrashed(ann)).toEqual([{ id: 'c1', title: '', deletedAtMs: NOW_MS + 1 }]);
    expect(await stores.chats.find(ann, 'c1')).toBeUndefined();
    expect(await stores.chats.list(ann, { limit: 10 })).toEqual([]);
    expect(await stores.chats.messages(ann, 'c1')).toEqual([]);
    const conflict = expect.objectContaining({ code: 'conflict' });
    await expect(stores.chats.patch(ann, 'c1', { title: 'y' }, NOW_MS)).rejects.toEqual(conflict);
    await expect(stores.chats.append(ann, 'c1', [], NOW_MS)).rejects.toEqual(conflict);
    expect(await stores.chats.create(ann, { id: 'c1', title: '' }, [], NOW_MS)).toBe(false);
    const restored = await Promise.all([stores.chats.restore(ann, 'c1'), stores.chats.restore(ann, 'c1')]);
    expect(restored.sort()).toEqual([false, true]);
    expect(await stores.chats.messages(ann, 'c1')).toHaveLength(1);
  });

  test('a purge permanently deletes old or named chats', async () => {
    const { stores, ann } = open();
    for (const [index, id] of ['old', 'older', 'young', 'kept'].entries()) {
      await stores.chats.append(ann, id, [{ role: 'user', content: id }], NOW_MS);
      if (id !== 'kept') await stores.chats.trash(ann, id, NOW_MS + index);
    }
    expect(await stores.chats.purge(ann, { beforeMs: NOW_MS + 2 })).toBe(2);
    expect((await stores.chats.listTrashed(ann)).map(({ id }) => id)).toEqual(['young']);
    expect(await stores.chats.purge(ann, { chatId: 'kept', beforeMs: NOW_MS + 99 })).toBe(0);
    expect(await stores.chats.purge(ann, { chatId: 'young', beforeMs: NOW_MS + 99 })).toBe(1);
    expect(await stores.chats.restore(ann, 'young')).toBe(false);
    expect(await stores.chats.create(ann, { id: 'young', title: 'new' }, [], NOW_MS)).toBe(true);
    expect(await stores.chats.messages(ann, 'young')).toEqual([]);
  });

  test('the newest messages go when nothing changed meanwhile, and their numbers are not given again', async () => {
    const { stores, ann, beginOf } = open();
    const say = (content: string) => stores.chats.append(ann, 'c1', [{ role: 'user', content }], NOW_MS);
    for (const content of ['a', 'b', 'c']) await say(content);
    const cut = (fromSeq: number, lastSeq: number) =>
      stores.chats.truncate(ann, 'c1', { fromSeq, lastSeq, nowMs: NOW_MS });
    expect(await cut(2, 2)).toBe('changed');
    expect(await cut(2, 3)).toBe('done');
    expect(await cut(2, 3)).toBe('changed');
    await say('d');
    expect((await stores.chats.messages(ann, 'c1')).map(({ seq, content }) => [seq, content])).toEqual([
      [1, 'a'],
      [4, 'd'],
    ]);
    expect((await stores.chats.find(ann, 'c1'))?.generation).toBe(2);
    await stores.runs.begin(beginOf());
    expect(await cut(4, 5)).toBe('running');
  });
}

/** Compares as the list does: newest first, then by the bytes of the ids, descending. */
function sortAs(chats: readonly { readonly id: string; readonly updatedAtMs: number }[]) {
  const at = new Map(chats.map(({ id, updatedAtMs }) => [id, updatedAtMs]));
  return (one: string, other: string) =>
    (at.get(other) ?? 0) - (at.get(one) ?? 0) || Buffer.compare(Buffer.from(other), Buffer.from(one));
}

import { expect, test } from 'vitest';
import type { OwnerKey } from '../ports/owner-key.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

/** Runs the contract tests of the versions of messages and of opinions. */
export function describeChatVersions(open: () => StoreFixture): void {
  const turn = async ({ stores, beginOf }: StoreFixture, text: string, replaces?: number) => {
    const message = { role: 'user', content: text } as const;
    const run = beginOf({ message: { message, title: text, ...(replaces !== undefined && { replaces }) } });
    await stores.runs.begin(run);
    await stores.runs.settle(run.id, {
      attempt: 1,
      status: 'done',
      messages: [{ role: 'assistant', content: `answer to ${text}` }],
      costMicroUsd: 0,
      nowMs: NOW_MS,
      keepFramesUntilMs: NOW_MS,
    });
  };
  const read = async ({ stores, ann }: StoreFixture) =>
    (await stores.chats.messages(ann, 'c1')).filter(({ role }) => role === 'user').map(({ content }) => content);

  test('a replaced message is kept with what followed it, and can be shown again', async () => {
    const fixture = open();
    const { stores, ann } = fixture;
    await turn(fixture, 'one');
    await turn(fixture, 'two');
    await turn(fixture, 'three');
    const before = await stores.chats.messages(ann, 'c1');
    await turn(fixture, 'other two', 3);
    expect(await read(fixture)).toEqual(['one', 'other two']);
    expect(await stores.chats.versions(ann, 'c1')).toEqual([{ seq: 7, versions: [3, 7] }]);
    expect(await stores.chats.showVersion(ann, 'c1', 3)).toBe('done');
    expect(await stores.chats.messages(ann, 'c1')).toEqual(before);
    expect(await stores.chats.versions(ann, 'c1')).toEqual([{ seq: 3, versions: [3, 7] }]);
    expect((await stores.chats.find(ann, 'c1'))?.generation).toBe(3);
    await turn(fixture, 'four');
    expect(await stores.chats.showVersion(ann, 'c1', 7)).toBe('done');
    expect(await read(fixture)).toEqual(['one', 'other two']);
    expect(await stores.chats.showVersion(ann, 'c1', 3)).toBe('done');
    expect(await read(fixture)).toEqual(['one', 'two', 'three', 'four']);
  });

  test('versions of later messages stay with the version that they belong to', async () => {
    const fixture = open();
    const { stores, ann } = fixture;
    await turn(fixture, 'one');
    await turn(fixture, 'two');
    await turn(fixture, 'other two', 3);
    await turn(fixture, 'other one', 1);
    expect(await stores.chats.versions(ann, 'c1')).toEqual([{ seq: 7, versions: [1, 7] }]);
    // Not at a place that the chat shows now.
    expect(await stores.chats.showVersion(ann, 'c1', 3)).toBe('missing');
    expect(await stores.chats.showVersion(ann, 'c1', 1)).toBe('done');
    expect(await read(fixture)).toEqual(['one', 'other two']);
    expect(await stores.chats.versions(ann, 'c1')).toEqual([
      { seq: 1, versions: [1, 7] },
      { seq: 5, versions: [3, 5] },
    ]);
  });

  test('only the version that is shown is found by a search', async () => {
    const fixture = open();
    const { stores, ann } = fixture;
    await turn(fixture, 'the tide');
    await turn(fixture, 'the wind', 1);
    const find = async (query: string) =>
      (await stores.chats.list(ann, { limit: 9, query })).map(({ match }) => match?.seq);
    expect([await find('answer tide'), await find('answer wind')]).toEqual([[], [4]]);
    await stores.chats.showVersion(ann, 'c1', 1);
    expect([await find('answer tide'), await find('answer wind')]).toEqual([[2], []]);
  });

  test('what is not there, not of the person or not of this chat is neither replaced nor shown', async () => {
    const fixture = open();
    const { stores, ann, bob, beginOf } = fixture;
    await turn(fixture, 'one');
    for (const replaces of [2, 9]) {
      await expect(turn(fixture, 'x', replaces)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await read(fixture)).toEqual(['one']);
    await turn(fixture, 'other', 1);
    for (const [owner, chat, seq] of [
      [bob, 'c1', 1],
      [ann, 'c2', 1],
      [ann, 'c1', 3],
      [ann, 'c1', 2],
    ] as [OwnerKey, string, number][]) {
      expect(await stores.chats.showVersion(owner, chat, seq)).toBe('missing');
    }
    expect(await stores.chats.versions(bob, 'c1')).toEqual([]);
    await stores.runs.begin(beginOf());
    expect(await stores.chats.showVersion(ann, 'c1', 1)).toBe('running');
  });

  test('an opinion is kept with its chat, and read by its owner and the agent', async () => {
    const { stores, ann, bob } = open();
    await stores.chats.append(ann, 'c1', [{ role: 'user', content: 'q' }], NOW_MS);
    const said = { owner: ann, chatId: 'c1', seq: 2, note: '', question: 'q', answer: 'a' };
    await stores.feedback.put({ ...said, rating: 'up' }, NOW_MS);
    const changed = await stores.feedback.put({ ...said, rating: 'down', note: 'wrong' }, NOW_MS + 1);
    expect(changed).toEqual({ ...said, rating: 'down', note: 'wrong', createdAtMs: NOW_MS, updatedAtMs: NOW_MS + 1 });
    expect(await stores.feedback.listOf(ann, 'c1')).toEqual([changed]);
    expect(await stores.feedback.listOf(bob, 'c1')).toEqual([]);
    const all = () => stores.feedback.listAll({ of: { owner: ann }, limit: 9 });
    expect(await all()).toEqual([changed]);
    expect(await stores.feedback.listAll({ of: { owner: ann }, limit: 9, after: changed })).toEqual([]);
    expect(await stores.feedback.listAll({ of: { owner: ann }, limit: 9, rating: 'up' })).toEqual([]);
    const member = `org-of-${ann}:x` as OwnerKey;
    await stores.chats.append(member, 'c1', [{ role: 'user', content: 'q' }], NOW_MS);
    await stores.feedback.put({ ...said, owner: member, rating: 'up' }, NOW_MS);
    const ofOrg = await stores.feedback.listAll({ of: { orgId: `org-of-${ann}` }, limit: 9 });
    expect(ofOrg.map(({ owner }) => owner)).toEqual([member]);
    await stores.chats.trash(ann, 'c1', NOW_MS);
    expect(await all()).toEqual([]);
    await stores.chats.purge(ann, { beforeMs: NOW_MS + 1 });
    expect(await stores.feedback.listOf(ann, 'c1')).toEqual([]);
    expect(await stores.feedback.remove(ann, 'c1', 2)).toBe(false);
  });
}

import type { ChatSummary } from '@berth/contract/agent';
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { chatOf, createFakeAgent } from '../../testing/fake-agent.ts';
import { createChatList } from './chat-list.ts';

const chat = (id: string): ChatSummary => chatOf([], { id, title: id });
const page = (chats: readonly ChatSummary[], cursor?: string) =>
  Response.json(chats, { headers: cursor ? { Link: `</chats?limit=100&cursor=${cursor}>; rel="next"` } : {} });

function open() {
  const agent = createFakeAgent();
  let changes = 0;
  const list = createChatList(
    agent,
    () => 0,
    () => changes++,
  );
  return { agent, list, ids: () => list.state.get().chats.map(({ id }) => id), changes: () => changes };
}

it('reads page after page, and a chat that moved between two of them once', async () => {
  const { agent, list, ids } = open();
  agent.on('GET /chats?limit=100', page([chat('c'), chat('b')], 'x'));
  agent.on('GET /chats?limit=100&cursor=x', page([chat('b'), chat('a')]));
  await list.refresh();
  expect(list.state.get().hasMore).toBe(true);
  await Promise.all([list.more(), list.more()]);
  expect(ids()).toEqual(['c', 'b', 'a']);
  await list.more();
  expect(agent.calls).toHaveLength(2);
});

it('keeps what was read further down when the first page is read anew', async () => {
  const { agent, list, ids } = open();
  agent.on('GET /chats?limit=100', page([chat('d'), chat('c')], 'x'), page([chat('e'), chat('a'), chat('d')], 'y'));
  agent.on('GET /chats?limit=100&cursor=x', page([chat('b'), chat('a')], 'z'));
  agent.on('GET /chats?limit=100&cursor=z', page([chat('0')]));
  await list.refresh();
  await list.more();
  await list.refresh();
  expect(ids()).toEqual(['e', 'a', 'd', 'c', 'b']);
  await list.more();
  expect(ids()).toEqual(['e', 'a', 'd', 'c', 'b', '0']);
  // When the new first page no longer overlaps with the loaded chats, the list starts over.
  agent.on('GET /chats?limit=100', page([chat('h'), chat('g')], 'w'));
  await list.refresh();
  expect(ids()).toEqual(['h', 'g']);
  expect(list.state.get().hasMore).toBe(true);
});

it('shows what was searched for last, in whatever order answers come', async () => {
  const { agent, list, ids } = open();
  const slow = Promise.withResolvers<Response>();
  const { send } = agent;
  agent.send = async (path, init) => (path.includes('q=a') ? await slow.promise : await send(path, init));
  agent.on('GET /chats?limit=100&q=b', page([chat('b')]));
  const first = list.search('a');
  await list.search('b');
  slow.resolve(page([chat('a')]));
  await first;
  expect(ids()).toEqual(['b']);
});

it('changes at once, and goes back where the agent refuses', async () => {
  const { agent, list, changes } = open();
  agent.on('GET /chats?limit=100', page([chat('a')]));
  await list.refresh();
  agent.on('PUT /chats/a', { ok: true }, new ApiError(422, 'That is too long.'));
  const renamed = list.rename('a', 'Apples');
  expect(list.state.get().chats[0]?.title).toBe('Apples');
  await renamed;
  await expect(list.rename('a', 'x'.repeat(1_000))).rejects.toThrow('too long');
  expect(list.state.get().chats[0]?.title).toBe('Apples');
  expect(changes()).toBe(1);
});

it('deletes, and brings back', async () => {
  const { agent, list, ids } = open();
  agent.on('GET /chats?limit=100', page([chat('b'), chat('a')]), page([chat('b'), chat('a')]));
  await list.refresh();
  agent.on('DELETE /chats/b', { ok: true, trash_id: 'chat:b' });
  agent.on('POST /trash/chat%3Ab/restore', { ok: true, path: 'b' });
  const undo = await list.remove('b');
  expect(ids()).toEqual(['a']);
  await undo();
  expect(ids()).toEqual(['b', 'a']);
});

it('says why the list could not be read, and keeps what it has', async () => {
  const { agent, list, ids } = open();
  agent.on('GET /chats?limit=100', page([chat('a')]), new ApiError(503, 'not now'));
  await list.refresh();
  await list.refresh();
  expect(list.state.get()).toMatchObject({ phase: 'failed', problem: 'not now' });
  expect(ids()).toEqual(['a']);
});

// Fails when the text of a network error, which browsers write for developers, is shown.
it('has no words for a connection that broke', async () => {
  const { agent, list } = open();
  agent.on('GET /chats?limit=100', new TypeError('Failed to fetch'));
  await list.refresh();
  expect(list.state.get()).toMatchObject({ phase: 'failed', problem: undefined });
});

it('is well again after the next reading', async () => {
  const { agent, list } = open();
  agent.on('GET /chats?limit=100', new ApiError(503, 'not now'), page([chat('a')]));
  await list.refresh();
  await list.refresh();
  expect(list.state.get()).toMatchObject({ phase: 'idle', problem: undefined });
});

it('begins anew when the first page no longer meets what it has', async () => {
  const { agent, list, ids } = open();
  const cursor = 'GET /chats?limit=100&cursor=y';
  agent.on('GET /chats?limit=100', page([chat('b')], 'x'), page([chat('d'), chat('c')], 'y'));
  agent.on('GET /chats?limit=100&cursor=x', page([chat('a')]));
  agent.on(cursor, page([chat('b'), chat('a')]));
  await list.refresh();
  await list.more();
  await list.refresh();
  expect(ids()).toEqual(['d', 'c']);
  await list.more();
  expect(ids()).toEqual(['d', 'c', 'b', 'a']);
});

// Fails when chats of another search stay below the ones that were found.
it('mixes no two searches', async () => {
  const { agent, list, ids } = open();
  agent.on('GET /chats?limit=100', page([chat('b')], 'x'));
  agent.on('GET /chats?limit=100&cursor=x', page([chat('a')]));
  agent.on('GET /chats?limit=100&q=soup', page([chat('b')], 'z'));
  await list.refresh();
  await list.more();
  await list.search(' soup ');
  expect(ids()).toEqual(['b']);
  expect(list.state.get()).toMatchObject({ search: 'soup', hasMore: true });
});

it('marks a favorite with the time, and takes the mark away', async () => {
  const { agent, list } = open();
  agent.on('GET /chats?limit=100', page([chat('a')]));
  agent.on('PUT /chats/a', { ok: true }, { ok: true });
  await list.refresh();
  await list.setFavorite('a', true);
  expect(list.state.get().chats[0]?.favoritedAt).toBe('1970-01-01T00:00:00.000Z');
  await list.setFavorite('a', false);
  expect(list.state.get().chats[0]?.favoritedAt).toBeNull();
  expect(agent.calls.slice(1).map(({ body }) => body)).toEqual([
    { favoritedAt: '1970-01-01T00:00:00.000Z' },
    { favoritedAt: null },
  ]);
});

it('brings back at once what could not be deleted', async () => {
  const { agent, list, ids, changes } = open();
  agent.on('GET /chats?limit=100', page([chat('a')]));
  agent.on('DELETE /chats/a', new ApiError(503, 'not now'));
  await list.refresh();
  const removed = list.remove('a');
  expect(ids()).toEqual([]);
  await expect(removed).rejects.toThrow('not now');
  expect(ids()).toEqual(['a']);
  expect(changes()).toBe(0);
});

describe('a change that is refused', () => {
  // Fails when the list of before is put back as a whole.
  it('takes back nothing but itself', async () => {
    const { agent, list } = open();
    const answer = Promise.withResolvers<unknown>();
    agent.on('GET /chats?limit=100', page([chat('a'), chat('b')]));
    agent.on('PUT /chats/a', answer.promise);
    agent.on('PUT /chats/b', { ok: true });
    await list.refresh();
    const renamed = list.rename('a', 'Apples');
    await list.setFavorite('b', true);
    answer.resolve(new ApiError(409, 'no'));
    await expect(renamed).rejects.toThrow('no');
    expect(list.state.get().chats).toMatchObject([{ title: 'a' }, { favoritedAt: '1970-01-01T00:00:00.000Z' }]);
  });

  it('puts a chat back where it was, once', async () => {
    const { agent, list, ids } = open();
    const answer = Promise.withResolvers<unknown>();
    const all = () => page([chat('a'), chat('b'), chat('c')]);
    // The list that is read after the change never arrives.
    agent.on('GET /chats?limit=100', all(), all(), new Promise(() => {}));
    agent.on('DELETE /chats/b', answer.promise);
    await list.refresh();
    const removed = list.remove('b');
    expect(ids()).toEqual(['a', 'c']);
    await list.refresh();
    answer.resolve(new ApiError(409, 'no'));
    await expect(removed).rejects.toThrow('no');
    expect(ids()).toEqual(['a', 'b', 'c']);
  });

  it('changes nothing where the chat is not in the list', async () => {
    const { agent, list } = open();
    agent.on('GET /chats?limit=100', page([chat('a')]));
    await list.refresh();
    await expect(list.remove('gone')).rejects.toMatchObject({ status: 404 });
    await expect(list.rename('gone', 'Apples')).rejects.toMatchObject({ status: 404 });
    expect(list.state.get().chats).toEqual([chat('a')]);
  });
});

// Fails when a list that was read before the change is shown after it: a deleted chat would stand there again.
it.each([
  ['began before', true],
  ['began after', false],
])('shows a deleted chat no more, also where a reading of the list %s', async (_name, isBefore) => {
  const { agent, list, ids } = open();
  const [reading, deleting] = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
  agent.on('GET /chats?limit=100', page([chat('a'), chat('b')]), reading.promise, page([chat('b')]));
  agent.on('DELETE /chats/a', deleting.promise);
  await list.refresh();
  const early = isBefore ? list.refresh() : undefined;
  const removed = list.remove('a');
  const read = early ?? list.refresh();
  deleting.resolve({ trash_id: 't' });
  await removed;
  reading.resolve(page([chat('a'), chat('b')]));
  await read;
  await agent.called('GET /chats?limit=100', 3);
  await vi.waitFor(() => expect(list.state.get().phase).toBe('idle'));
  expect(ids()).toEqual(['b']);
});

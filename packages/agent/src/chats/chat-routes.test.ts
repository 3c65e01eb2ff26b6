import { createHash } from 'node:crypto';
import type { Chat, ChatSummary } from '@berth/contract/agent';
import { createSystemClock } from '@berth/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { readTurn, turnEvents } from '../testing/read-turn.ts';

let fixture: TestAgent;
let users = 0;
/** Wall time goes on by a second a turn, so that the order of chats is known. */
let aheadMs = 0;

beforeAll(async () => {
  const clock = createSystemClock();
  fixture = await openTestAgent({
    clock: { ...clock, nowMs: () => clock.nowMs() + aheadMs },
    async *handler({ messages, signal, reportUsage }) {
      const text = String(messages.at(-1)?.content);
      if (text === 'wait') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reportUsage({ costUsd: 0.000_001_4 });
      reportUsage({ costUsd: 0.25 });
      yield `You said ${text}`;
    },
  });
});

afterAll(() => fixture[Symbol.asyncDispose]());

/** A user whom no other test knows. */
function newUser() {
  const token = `user-${++users}`;
  const call = (method: string, path: string, body?: unknown) => fixture.call(token, method, path, body);
  return {
    token,
    call,
    async say(chatId: string, content: unknown, more: object = {}) {
      aheadMs += 1_000;
      const body = { messages: [{ role: 'user', content, ...more }] };
      return await readTurn(await call('POST', `/?id=${chatId}`, body));
    },
    async list(query = '') {
      const response = await call('GET', `/chats${query}`);
      return { chats: (await response.json()) as ChatSummary[], link: response.headers.get('link') };
    },
    async chat(chatId: string, query = '') {
      return (await (await call('GET', `/chats/${chatId}${query}`)).json()) as Chat;
    },
  };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('a chat is listed and read as the contract says', async () => {
  // Holds the agent to the contract: verifies('chats.list'), verifies('chats.get'), verifies('chats.title')
  const alice = newUser();
  await alice.say('c1', 'x'.repeat(100));
  const summary = {
    id: 'c1',
    title: 'x'.repeat(80),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    updatedAt: expect.any(String),
    favoritedAt: null,
    cost: '0.250001',
    run: 'done',
    run_id: expect.any(String),
  };
  expect((await alice.list()).chats).toEqual([summary]);
  expect(await alice.chat('c1')).toEqual({
    ...summary,
    meta: {},
    messages: [
      { role: 'user', content: 'x'.repeat(100), seq: 1 },
      {
        role: 'assistant',
        seq: 2,
        content: `You said ${'x'.repeat(100)}`,
        parts: [{ type: 'text', text: `You said ${'x'.repeat(100)}` }],
      },
    ],
    next: 2,
    open: null,
  });
  const unknown = await alice.call('GET', '/chats/c2');
  expect([unknown.status, await unknown.text()]).toEqual([204, '']);
});

test('the newest is first; updatedAt moves with messages of the user only, cost with every turn', async () => {
  // Holds the agent to the contract: verifies('chats.updated')
  const alice = newUser();
  for (const id of ['a', 'b', 'c']) await alice.say(id, id);
  await alice.say('a', 'again');
  const { chats } = await alice.list();
  expect(chats.map(({ id, title, cost }) => [id, title, cost])).toEqual([
    ['a', 'a', '0.500002'],
    ['c', 'c', '0.250001'],
    ['b', 'b', '0.250001'],
  ]);
  aheadMs += 10_000;
  await alice.call('PUT', '/chats/b', { title: 'renamed', favoritedAt: '2026-01-02T03:04:05Z', meta: { x: 1 } });
  const after = (await alice.list()).chats;
  expect(after.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
  expect(after[2]).toMatchObject({ title: 'renamed', updatedAt: chats[2]?.updatedAt });
});

test('pages follow each other by Link, each chat once, also of those of one millisecond', async () => {
  // Holds the agent to the contract: verifies('chats.pages')
  const alice = newUser();
  const made = Array.from({ length: 7 }, (_, index) => `chat-${index}`);
  await Promise.all(made.map((id) => alice.call('PUT', `/chats/${id}`, { title: `Title ${id}` })));
  const seen: string[] = [];
  let path: string | undefined = '/chats?limit=3';
  let pages = 0;
  while (path !== undefined) {
    const response = await alice.call('GET', path);
    seen.push(...((await response.json()) as ChatSummary[]).map(({ id }) => id));
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    pages++;
  }
  expect([...seen].sort()).toEqual(made);
  expect(pages).toBe(3);
  const all = await alice.list();
  expect([all.chats.length, all.link]).toEqual([7, null]);
});

test('q finds by title, whatever the case, and takes wildcards for letters', async () => {
  const alice = newUser();
  for (const [id, title] of [
    ['a', 'Holiday in France'],
    ['b', '100% sure'],
    ['c', 'snake_case'],
  ] as const) {
    await alice.call('PUT', `/chats/${id}`, { title });
  }
  const find = async (q: string) => (await alice.list(`?q=${encodeURIComponent(q)}`)).chats.map(({ id }) => id);
  expect(await find('FRANCE')).toEqual(['a']);
  expect(await find('%')).toEqual(['b']);
  expect(await find('_')).toEqual(['c']);
  expect(await find("'; drop table chats; --")).toEqual([]);
});

test('PUT makes or changes a chat, merges meta, and passes over what the server decides', async () => {
  // Holds the agent to the contract: verifies('chats.put'), verifies('chats.ignored')
  const alice = newUser();
  const made = await alice.call('PUT', '/chats/c1', { title: 'Mine', meta: { a: 1, b: { c: [2] } } });
  expect(made.status).toBe(200);
  const record = (await made.json()) as Chat;
  expect(record).toMatchObject({ id: 'c1', title: 'Mine', cost: '0.000000', run: null, meta: { a: 1, b: { c: [2] } } });
  const changed = await alice.call('PUT', '/chats/c1', {
    favoritedAt: '2026-05-06T07:08:09+02:00',
    meta: { a: null, d: 'x' },
    id: 'other',
    owner: 'bob',
    cost: '99.000000',
    run: { id: 'r', status: 'running' },
    updatedAt: '1999-01-01T00:00:00Z',
    messages: [{ role: 'assistant', content: 'forged' }],
  });
  expect(await changed.json()).toEqual({
    ...record,
    favoritedAt: '2026-05-06T05:08:09.000Z',
    meta: { b: { c: [2] }, d: 'x' },
  });
  expect((await alice.chat('c1')).messages).toEqual([]);
  await alice.call('PUT', '/chats/c1', { favoritedAt: null });
  expect(await alice.chat('c1')).toMatchObject({ title: 'Mine', favoritedAt: null });
  // The title that was given stays when the first message comes.
  await alice.say('c1', 'Hello');
  expect((await alice.chat('c1')).title).toBe('Mine');
});

test.each<[string, string, string, object | undefined]>([
  ['an empty title', 'PUT', '/chats/c1', { title: '' }],
  ['a long title', 'PUT', '/chats/c1', { title: 'x'.repeat(201) }],
  ['a time that is none', 'PUT', '/chats/c1', { favoritedAt: 'yesterday' }],
  ['meta that is no object', 'PUT', '/chats/c1', { meta: [1] }],
  ['much meta', 'PUT', '/chats/c1', { meta: { x: 'y'.repeat(20_000) } }],
  ['a limit of 0', 'GET', '/chats?limit=0', undefined],
  ['a limit that is no number', 'GET', '/chats?limit=many', undefined],
  ['a cursor of nobody’s', 'GET', '/chats?cursor=xyz', undefined],
  ['a since of nobody’s', 'GET', '/chats/c1?since=xyz', undefined],
  ['an expect that is no hash', 'DELETE', '/chats/c1/last-exchange?expect=abc', undefined],
])('%s is refused and named', async (_title, method, path, body) => {
  const alice = newUser();
  const response = await alice.call(method, path, body);
  expect(response.status).toBe(422);
  expect(await response.json()).toEqual({ detail: [expect.objectContaining({ loc: expect.any(Array) })] });
  expect((await alice.list()).chats).toEqual([]);
});

test('a name that objects have already is a name like others in meta', async () => {
  const alice = newUser();
  const response = await fetch(`${fixture.url}/chats/c1`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
    body: '{"meta":{"__proto__":{"polluted":true},"constructor":1}}',
  });
  expect(response.status).toBe(200);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('since gives what is new, and all with reset when what the reader has is outdated', async () => {
  // Holds the agent to the contract: verifies('chats.since')
  const alice = newUser();
  await alice.say('c1', 'one');
  const first = await alice.chat('c1');
  expect(await alice.chat('c1', `?since=${first.next}`)).toMatchObject({ messages: [], next: first.next });
  await alice.say('c1', 'two');
  const second = await alice.chat('c1', `?since=${first.next}`);
  expect(second.messages.map(({ content }) => content)).toEqual(['two', 'You said two']);
  expect(second).not.toHaveProperty('reset');
  // Holds the agent to the contract: verifies('chats.run')
  expect([first.next, second.next]).toEqual([expect.any(Number), expect.any(Number)]);
  await alice.call('DELETE', '/chats/c1/last-exchange');
  const third = await alice.chat('c1', `?since=${second.next}`);
  expect(third).toMatchObject({ reset: true });
  expect(third.messages.map(({ content }) => content)).toEqual(['one', 'You said one']);
  await alice.say('c1', 'three');
  expect((await alice.chat('c1', `?since=${third.next}`)).messages).toHaveLength(2);
});

test('while a run is live the chat is open, its message is there already, and its end cannot be taken back', async () => {
  // Holds the agent to the contract: verifies('chats.running'), verifies('turn.durable')
  const alice = newUser();
  const body = { messages: [{ role: 'user', content: 'wait' }] };
  const response = await alice.call('POST', '/?id=c1', body);
  for await (const { frame } of turnEvents(response)) {
    expect(frame).toEqual({ type: 'chat_id', chat_id: 'c1' });
    const chat = await alice.chat('c1');
    expect(chat).toMatchObject({
      run: 'running',
      messages: [{ role: 'user', content: 'wait' }],
    });
    expect((await alice.list()).chats[0]?.run).toBe('running');
    expect((await alice.call('DELETE', '/chats/c1/last-exchange')).status).toBe(409);
    break;
  }
});

test('the last exchange is taken back when it is the one that was meant', async () => {
  // Holds the agent to the contract: verifies('chats.exchange'), verifies('chats.expect')
  const alice = newUser();
  expect((await alice.call('DELETE', '/chats/c1/last-exchange')).status).toBe(404);
  await alice.say('c1', 'one');
  await alice.say('c1', 'zwei ü');
  expect((await alice.call('DELETE', `/chats/c1/last-exchange?expect=${sha256('one')}`)).status).toBe(412);
  expect((await alice.chat('c1')).messages).toHaveLength(4);
  const removed = await alice.call('DELETE', `/chats/c1/last-exchange?expect=${sha256('zwei ü')}`);
  expect([removed.status, await removed.json()]).toEqual([200, { ok: true }]);
  expect((await alice.chat('c1')).messages.map(({ content }) => content)).toEqual(['one', 'You said one']);
  await alice.call('DELETE', '/chats/c1/last-exchange');
  expect((await alice.chat('c1')).messages).toEqual([]);
  expect((await alice.call('DELETE', '/chats/c1/last-exchange')).status).toBe(404);
  // A message that was sent as parts reads back as text.
  await alice.say('c1', [{ type: 'text', text: 'parts' }]);
  const { content } = (await alice.chat('c1')).messages[0] ?? {};
  const expected = sha256(String(content));
  expect((await alice.call('DELETE', `/chats/c1/last-exchange?expect=${expected}`)).status).toBe(200);
});

test('of two who take the last exchange back at once, one does', async () => {
  const alice = newUser();
  await alice.say('c1', 'one');
  await alice.say('c1', 'two');
  const path = `/chats/c1/last-exchange?expect=${sha256('two')}`;
  const statuses = await Promise.all([1, 2, 3].map(async () => (await alice.call('DELETE', path)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect((await alice.chat('c1')).messages).toHaveLength(2);
});

test('a deleted chat is gone from sight, and its id is not anybody else’s', async () => {
  // Holds the agent to the contract: verifies('chats.delete')
  const alice = newUser();
  await alice.say('c1', 'secret');
  const deleted = await alice.call('DELETE', '/chats/c1');
  expect([deleted.status, await deleted.json()]).toEqual([200, { ok: true, trash_id: 'chat:c1' }]);
  expect((await alice.call('DELETE', '/chats/c1')).status).toBe(404);
  expect((await alice.call('GET', '/chats/c1')).status).toBe(204);
  expect((await alice.list()).chats).toEqual([]);
  expect((await alice.call('GET', '/chats/c1/stream')).status).toBe(404);
  // It can be had back, so nothing may be written in its place.
  const again = await alice.call('POST', '/?id=c1', { messages: [{ role: 'user', content: 'x' }] });
  expect([again.status, await again.json()]).toEqual([409, { detail: expect.stringMatching(/trash/) }]);
  expect((await alice.call('PUT', '/chats/c1', { title: 'x' })).status).toBe(409);
});

test('deleting a chat ends its run', async () => {
  const alice = newUser();
  const response = await alice.call('POST', '/?id=c1', { messages: [{ role: 'user', content: 'wait' }], detach: true });
  expect((await alice.call('DELETE', '/chats/c1')).status).toBe(200);
  expect((await readTurn(response)).isDone).toBe(true);
  expect((await alice.call('POST', '/chats/c1/stop')).status).toBe(404);
});

test('somebody else’s chat and one that is not there are answered alike, on every route', async () => {
  // Holds the agent to the contract: verifies('chats.foreign')
  const alice = newUser();
  await alice.say('hers', 'secret');
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '?since=1.1', undefined],
    ['DELETE', '', undefined],
    ['DELETE', '/last-exchange', undefined],
    ['POST', '/stop', undefined],
    ['GET', '/stream', undefined],
    ['PUT', '', { title: 'mine' }],
  ] as const) {
    const bob = newUser();
    const answers: unknown[] = [];
    for (const id of ['hers', 'rand']) {
      const response = await bob.call(method, `/chats/${id}${path}`, body);
      const text = (await response.text()).replaceAll(id, 'ID').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
      answers.push([response.status, text]);
    }
    expect(answers[0], `${method} ${path}`).toEqual(answers[1]);
    expect(JSON.stringify(answers)).not.toContain('secret');
  }
  const bob = newUser();
  expect((await bob.say('hers', 'my own')).text).toBe('You said my own');
  expect((await bob.chat('hers')).messages).toHaveLength(2);
  expect((await alice.chat('hers')).messages.map(({ content }) => content)).toEqual(['secret', 'You said secret']);
});

test('attachments are kept with their message', async () => {
  const alice = newUser();
  const attachments = [{ name: 'a.txt', size: 3, type: 'text/plain', path: 'attachments/abcd1234-a.txt' }];
  await alice.say('c1', '', { attachments });
  const chat = await alice.chat('c1');
  expect(chat.messages[0]).toEqual({ role: 'user', content: '', seq: 1, attachments });
  expect(chat.title).toBe('a.txt');
});

test('every route of chats wants a good token', async () => {
  for (const token of [undefined, 'bad', 'expired']) {
    for (const [method, path] of [
      ['GET', '/chats'],
      ['GET', '/chats/c1'],
      ['PUT', '/chats/c1'],
      ['DELETE', '/chats/c1'],
      ['DELETE', '/chats/c1/last-exchange'],
    ] as const) {
      const response = await fixture.call(token, method, path, method === 'PUT' ? { title: 'x' } : undefined);
      expect([method, path, response.status]).toEqual([method, path, 401]);
    }
  }
});

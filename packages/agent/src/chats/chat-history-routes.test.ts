import type { Chat, ChatSummary, Feedback } from '@berth/contract/agent';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { readTurn } from '../testing/read-turn.ts';

let fixture: TestAgent;
let users = 0;

beforeAll(async () => {
  fixture = await openTestAgent();
});

afterAll(() => fixture[Symbol.asyncDispose]());

/** A person whom no other test knows. */
function newPerson(token = `reader-${++users}`) {
  const call = (method: string, path: string, body?: unknown) => fixture.call(token, method, path, body);
  return {
    call,
    async say(chatId: string, content: string, more: object = {}) {
      const response = await call('POST', `/chat?id=${chatId}`, { messages: [{ role: 'user', content }], ...more });
      if (response.status === 200) await readTurn(response);
      return response.status;
    },
    async chat(chatId: string) {
      return (await (await call('GET', `/chats/${chatId}`)).json()) as Chat;
    },
    async find(q: string) {
      return (await (await call('GET', `/chats?q=${encodeURIComponent(q)}`)).json()) as ChatSummary[];
    },
  };
}

test('a search finds what was said, marks it, and names the message', async () => {
  // Holds the agent to the contract: verifies('chats.search')
  const alice = newPerson();
  await alice.say('c1', 'Hello');
  await alice.say('c1', 'When is high tide in Dover?');
  await alice.say('c2', 'Something else');
  const [found, ...others] = await alice.find('DOVER');
  expect(others).toEqual([]);
  const { messages } = await alice.chat('c1');
  expect(found).toMatchObject({ id: 'c1', title: 'Hello', match: { role: 'assistant', seq: messages[3]?.seq } });
  expect(found?.match?.excerpt).toEqual([
    { text: 'You said: When is high tide in ', is_match: false },
    { text: 'Dover', is_match: true },
    { text: '?', is_match: false },
  ]);
  expect(await newPerson().find('dover')).toEqual([]);
});

test('a message can replace an earlier one, whose version stays readable', async () => {
  // Holds the agent to the contract: verifies('chats.versions')
  const alice = newPerson();
  for (const text of ['one', 'two', 'three']) await alice.say('c1', text);
  const seqs = (await alice.chat('c1')).messages.map(({ seq }) => seq);
  expect(seqs).toEqual([1, 2, 3, 4, 5, 6]);
  const cursor = (await alice.chat('c1')).next;
  expect(await alice.say('c1', 'other two', { replaces: 3 })).toBe(200);
  const now = await alice.chat('c1');
  expect(now.messages.map(({ content }) => content)).toEqual([
    'one',
    'You said: one',
    'other two',
    'You said: other two',
  ]);
  expect(now.messages[2]).toMatchObject({ seq: 7, versions: [3, 7] });
  const since = (await (await alice.call('GET', `/chats/c1?since=${cursor}`)).json()) as Chat;
  expect([since.reset, since.messages.length]).toEqual([true, 4]);
  expect((await alice.call('POST', '/chats/c1/versions/3')).status).toBe(200);
  expect((await alice.chat('c1')).messages.map(({ seq }) => seq)).toEqual(seqs);
});

test('what a person can’t see is neither replaced nor shown', async () => {
  const alice = newPerson();
  const bob = newPerson();
  await alice.say('c1', 'one');
  await alice.say('c1', 'other', { replaces: 1 });
  expect(await alice.say('c1', 'x', { replaces: 99 })).toBe(404);
  expect(await alice.say('c1', 'x', { replaces: 0 })).toBe(422);
  expect((await bob.call('POST', '/chats/c1/versions/1')).status).toBe(404);
  expect((await alice.call('POST', '/chats/c1/versions/3')).status).toBe(404);
  expect((await alice.chat('c1')).messages.map(({ content }) => content)).toEqual(['other', 'You said: other']);
});

test('feedback is stored with the answer, changed and removed', async () => {
  // Holds the agent to the contract: verifies('chats.feedback')
  const alice = newPerson();
  await alice.say('c1', 'one');
  const put = (body: object, seq = 2) => alice.call('PUT', `/chats/c1/messages/${seq}/feedback`, body);
  expect((await put({ rating: 'down', note: ' Too short. ' })).status).toBe(200);
  expect((await alice.chat('c1')).messages[1]?.feedback).toEqual({ rating: 'down', note: 'Too short.' });
  const own = (await (await alice.call('GET', '/feedback')).json()) as Feedback[];
  expect(own).toMatchObject([
    { rating: 'down', note: 'Too short.', question: 'one', answer: 'You said: one', chat_id: 'c1', seq: 2 },
  ]);
  expect((await put({ rating: 'up' })).status).toBe(200);
  expect((await alice.chat('c1')).messages[1]?.feedback).toEqual({ rating: 'up', note: '' });
  expect((await put({})).status).toBe(200);
  expect((await alice.chat('c1')).messages[1]).not.toHaveProperty('feedback');
  // A question, what is not there, and another person's chat.
  expect([(await put({ rating: 'up' }, 1)).status, (await put({ rating: 'up' }, 9)).status]).toEqual([404, 404]);
  expect((await newPerson().call('PUT', '/chats/c1/messages/2/feedback', { rating: 'up' })).status).toBe(404);
  expect((await put({ rating: 'fine' })).status).toBe(422);
});

test('admins of an organization read the feedback of its members, in pages; others their own', async () => {
  // Holds the agent to the contract: verifies('chats.feedback-scope')
  const [org, other] = [`org${++users}`, `org${++users}`];
  for (const name of ['ann', 'ben']) {
    const person = newPerson(`${name}.${org}`);
    await person.say('c1', `from ${name}`);
    await person.call('PUT', '/chats/c1/messages/2/feedback', { rating: name === 'ann' ? 'up' : 'down' });
  }
  const admin = newPerson(`boss.${org}.admin`);
  const read = async (path: string) => {
    const response = await admin.call('GET', path);
    return { rows: (await response.json()) as Feedback[], link: response.headers.get('link') };
  };
  const first = await read('/feedback?limit=1');
  const next = /^<([^>]+)>; rel="next"$/.exec(first.link ?? '')?.[1] ?? '';
  const second = await read(next);
  expect([...first.rows, ...second.rows].map(({ user_id, question }) => [user_id, question])).toEqual([
    ['ann', 'from ann'],
    ['ben', 'from ben'],
  ]);
  expect(second.link).toBeNull();
  expect((await read('/feedback?rating=down')).rows.map(({ user_id }) => user_id)).toEqual(['ben']);
  expect((await admin.call('GET', '/feedback?cursor=nonsense')).status).toBe(422);
  const own = (await (await newPerson(`ann.${org}`).call('GET', '/feedback')).json()) as Feedback[];
  expect(own.map(({ user_id }) => user_id)).toEqual(['ann']);
  expect(await (await newPerson(`boss.${other}.admin`).call('GET', '/feedback')).json()).toEqual([]);
});

test('a chat is exported as Markdown and as JSON, with the names of its files', async () => {
  // Holds the agent to the contract: verifies('chats.export')
  const alice = newPerson();
  await alice.call('PUT', '/files/attachments/abcdefgh-tides.csv', 'a,b');
  const attachments = [{ name: 'tides.csv', path: 'attachments/abcdefgh-tides.csv' }];
  await readTurn(
    await alice.call('POST', '/chat?id=c1', { messages: [{ role: 'user', content: 'متى المد؟', attachments }] }),
  );
  await alice.call('PUT', '/chats/c1', { title: 'Tides: "a/b" مد' });
  const markdown = await alice.call('GET', '/chats/c1/export');
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  const name = /filename\*=UTF-8''(.*)$/.exec(markdown.headers.get('content-disposition') ?? '')?.[1] ?? '';
  expect(decodeURIComponent(name)).toBe('Tides a b مد.md');
  expect(await markdown.text()).toMatch(
    /^# Tides: "a\/b" مد\n\n.*\n\n## User\n\nمتى المد؟\n\n- Attachment: tides.csv\n\n## Assistant\n\nYou said: متى المد؟\n$/,
  );
  const json = await alice.call('GET', '/chats/c1/export?format=json');
  expect(json.headers.get('content-type')).toBe('application/json');
  const chat = (await json.json()) as Chat;
  expect(chat.messages).toEqual((await alice.chat('c1')).messages);
  expect(chat.title).toBe('Tides: "a/b" مد');
  expect((await newPerson().call('GET', '/chats/c1/export')).status).toBe(404);
});

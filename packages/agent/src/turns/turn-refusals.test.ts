import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';

const say = (content: string) => ({ messages: [{ role: 'user', content }] });

let fixture: TestAgent;
let calls = 0;

beforeAll(async () => {
  fixture = await openTestAgent({
    async *handler() {
      calls++;
      yield 'x';
    },
  });
});

afterAll(() => fixture[Symbol.asyncDispose]());

const ATTACHED = (path: string) => ({ messages: [{ role: 'user', content: 'x', attachments: [{ name: 'a', path }] }] });

// Holds the agent to the contract: verifies('turn.body')
test.each<[string, string, unknown, number]>([
  ['no body', '/', undefined, 422],
  ['a body that is not JSON', '/', '{"messages":', 422],
  ['no messages', '/', {}, 422],
  ['no message', '/', { messages: [] }, 422],
  ['an unknown role', '/', { messages: [{ role: 'root', content: 'x' }] }, 422],
  ['an unknown part', '/', { messages: [{ role: 'user', content: [{ type: 'video', video: 'x' }] }] }, 422],
  ['nothing of the user', '/', { messages: [{ role: 'assistant', content: 'x' }] }, 422],
  ['21 tools', '/', { ...say('x'), disabled_tools: Array(21).fill('t') }, 422],
  ['21 approvals', '/', { ...say('x'), approvals: Array(21).fill('k') }, 422],
  ['11 connectors', '/', { ...say('x'), connectors: Array(11).fill('c') }, 422],
  ['an id of 65 characters', `/?id=${'x'.repeat(65)}`, say('x'), 422],
  ['an empty id', '/?id=', say('x'), 422],
  ['an id that climbs', '/?id=..%2f', say('x'), 422],
  ['a file that is not of the workspace', '/', ATTACHED('../../etc/passwd'), 403],
  ['a file of a reserved tree', '/', ATTACHED('.db/agent.sqlite'), 403],
  [
    'an image elsewhere',
    '/',
    { messages: [{ role: 'user', content: [{ type: 'image', image: '/etc/passwd' }] }] },
    403,
  ],
  ['a body of more than 32 MiB', '/', say('y'.repeat(33_600_000)), 413],
])('%s is refused, and no handler runs', async (_title, path, body, status) => {
  const response =
    typeof body === 'string'
      ? await fetch(fixture.url + path, {
          method: 'POST',
          headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
          body,
        })
      : await fixture.call('alice', 'POST', path, body);
  expect(response.status).toBe(status);
  const { detail } = (await response.json()) as { detail: unknown };
  expect(detail).toEqual(status === 422 ? [expect.objectContaining({ loc: expect.any(Array) })] : expect.any(String));
  expect(calls).toBe(0);
  expect(await (await fixture.call('alice', 'GET', '/chats')).json()).toEqual([]);
});

// Holds the agent to the contract: verifies('turn.id')
test.each(['x'.repeat(65), 'a.b', 'a%20b', '..%2f..%2fetc'])(
  'a chat id such as %s is refused on every path',
  async (id) => {
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['DELETE', '/last-exchange'],
      ['POST', '/stop'],
      ['GET', '/stream'],
    ] as const) {
      const response = await fixture.call(
        'alice',
        method,
        `/chats/${id}${path}`,
        method === 'PUT' ? { title: 'x' } : undefined,
      );
      expect([method, path, response.status]).toEqual([method, path, 422]);
    }
  },
);

test.each(['x', 'r:-1', 'r:1.5', 'r:', ':1', 'r:1:2', 'r:99999999999999999999'])(
  'the place %s is refused',
  async (after) => {
    const response = await fixture.call('alice', 'GET', `/chats/c1/stream?after=${after}`);
    expect(response.status).toBe(422);
  },
);

test('every route of turns wants a good token when the agent has auth', async () => {
  for (const token of [undefined, 'bad', 'expired']) {
    for (const [method, path] of [
      ['POST', '/'],
      ['POST', '/chat'],
      ['POST', '/chat/completions'],
      ['POST', '/transcribe'],
      ['POST', '/chats/c1/stop'],
      ['GET', '/chats/c1/stream'],
    ] as const) {
      const response = await fixture.call(token, method, path, method === 'POST' ? say('x') : undefined);
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await response.json()).toMatchObject({ detail: expect.any(String) });
    }
  }
  expect((await fixture.call(undefined, 'POST', '/?access_token=alice', say('x'))).status).toBe(401);
});

test('without a speech service that is said, after what is wrong with the request', async () => {
  // Holds the agent to the contract: verifies('transcribe')
  const post = async (body: BodyInit | undefined) => {
    const response = await fetch(`${fixture.url}/transcribe`, {
      method: 'POST',
      headers: { authorization: 'Bearer alice' },
      ...(body === undefined ? {} : { body }),
    });
    return response.status;
  };
  const form = (name: string, bytes: number) => {
    const data = new FormData();
    data.set(name, new Blob([new Uint8Array(bytes)]), 'speech.webm');
    return data;
  };
  expect(await post(undefined)).toBe(400);
  expect(await post('plain')).toBe(400);
  expect(await post(form('other', 1))).toBe(400);
  expect(await post(form('file', 0))).toBe(400);
  expect(await post(form('file', 27_000_000))).toBe(413);
  expect(await post(form('file', 100))).toBe(501);
});

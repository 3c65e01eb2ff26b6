import { key } from '@berth/agent-connectors';
import { openApi, type TestApi } from '@berth/agent-connectors/testing';
import type { Workspace } from '@berth/contract/agent';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../testing/open-test-agent.ts';

/** More bytes than the socket buffers hold for a client that doesn't read. */
const LARGE_BYTES = 40 * 2 ** 20;
const ENDLESS = { messages: [{ role: 'user', content: 'go on' }] };

const clock = createFakeClock(Date.now());
let api: TestApi;
let fixture: TestAgent;
let aborted: string[] = [];
/** Responses of the API whose client disconnected. */
let closedCalls = 0;

beforeAll(async () => {
  api = await openApi();
  api.answer((_request, response) => {
    response.writeHead(200).write('begun');
    response.once('close', () => closedCalls++);
  });
  fixture = await openTestAgent({
    workspaces: 'member',
    clock,
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
    connectors: [key({ name: 'feed', api: api.url })],
    async *handler({ signal, workspace, chatId, user }) {
      yield 'begun';
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      aborted.push(`${user?.id}/${workspace.type}/${chatId.slice(0, 8)}`);
    },
  });
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

/** A response whose beginning was read. `how` is set at its end: `done`, or `cut` off. */
interface Held {
  readonly status: number;
  how: 'open' | 'done' | 'cut';
  readOn(): void;
}

async function hold(answer: Response): Promise<Held> {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const held: Held = {
    status: answer.status,
    how: 'open',
    async readOn() {
      try {
        while (!(await reader.read()).done);
        held.how = 'done';
      } catch {
        held.how = 'cut';
      }
    },
  };
  return held;
}

const team = async (name: string, role: 'admin' | 'editor') => {
  const made = await fixture.call('ann.acme', 'POST', '/workspaces', { name });
  const { id } = (await made.json()) as Workspace;
  await setRole(id, role);
  return { 'X-Workspace': id, id };
};
const setRole = (id: string, role: string) =>
  fixture.call('ann.acme', 'PUT', `/workspaces/${id}/members/bob`, { role });

/**
 * Runs `work` while the fake clock advances, because changes by other instances are polled. The clock is slow enough that a
 * busy machine doesn't take a turn for dead.
 */
async function whileTimePasses<Value>(work: () => Promise<Value>): Promise<Value> {
  const timer = setInterval(() => clock.advance(100), 50);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** All that Bob can hold open in a team, and what is not to end with it. */
async function holdAll(headers: Awaited<ReturnType<typeof team>>) {
  const call = (token: string, method: string, target: string, body?: unknown, of: Record<string, string> = headers) =>
    fixture.call(token, method, target, body, of);
  await call('bob.acme', 'PUT', '/files/large.bin', new Blob([new Uint8Array(LARGE_BYTES)]));
  await call('bob.acme', 'PUT', '/connectors/feed/key', { key: 'a key of Bob', scope: 'user' });
  const completion = { ...ENDLESS, model: 'any', stream: true };
  const turn = await hold(await call('bob.acme', 'POST', '/?id=turn', ENDLESS));
  const streams = [
    turn,
    await hold(await call('bob.acme', 'GET', '/chats/turn/stream')),
    await hold(await call('bob.acme', 'POST', '/chat/completions', completion)),
    // The agent runs inside another server, so its responses have no socket of the agent.
    await hold(
      await fixture.agent.fetch(
        new Request(`${fixture.url}/chats/turn/stream`, { headers: { ...headers, Authorization: 'Bearer bob.acme' } }),
      ),
    ),
  ];
  // A turn without a reader.
  const detached = await call('bob.acme', 'POST', '/?id=detached', { ...ENDLESS, detach: true });
  await detached.body?.cancel();
  const kept = [
    await hold(await call('ann.acme', 'POST', '/?id=turn', ENDLESS)),
    await hold(await call('bob.acme', 'POST', '/?id=turn', ENDLESS, {})),
  ];
  for (const held of [...streams, ...kept]) held.readOn();
  return { streams, kept };
}

// Holds the agent to the contract: verifies('workspace.streams')
it.each([
  ['is removed', 'editor', (id: string) => fixture.call('ann.acme', 'DELETE', `/workspaces/${id}/members/bob`)],
  ['is an admin no more', 'admin', (id: string) => setRole(id, 'editor')],
] as const)(
  'who %s loses within a minute what is open in the team: streams, downloads, turns',
  async (what, role, lose) => {
    aborted = [];
    closedCalls = 0;
    const headers = await team(what, role);
    const { streams, kept } = await whileTimePasses(() => holdAll(headers));
    // The rest isn't read yet.
    const download = await hold(await fixture.call('bob.acme', 'GET', '/files/large.bin', undefined, headers));
    const ofApi = await hold(await fixture.call('bob.acme', 'GET', '/connectors/feed/fetch/x', undefined, headers));
    ofApi.readOn();
    streams.push(ofApi);
    expect([...streams, ...kept, download].map(({ status, how }) => [status, how])).toEqual(
      Array(8).fill([200, 'open']),
    );
    expect((await lose(headers.id)).status).toBe(200);
    // One check. The rest of the minute is slack for a busy machine.
    clock.advance(20_000);
    await waitUntil('his streams are cut off', () => streams.every(({ how }) => how === 'cut'));
    download.readOn();
    await waitUntil('his download is cut off', () => download.how === 'cut');
    await waitUntil('his turns are stopped', () =>
      ['bob/team/turn', 'bob/team/detached', 'bob/team/chatcmpl'].every((one) => aborted.includes(one)),
    );
    await waitUntil('what his call was answered is not read any more', () => closedCalls === 1);
    expect(aborted).toHaveLength(3);
    expect(kept.map(({ how }) => how)).toEqual(['open', 'open']);
    await whileTimePasses(async () => {
      await fixture.call('ann.acme', 'POST', '/chats/turn/stop', undefined, headers);
      await fixture.call('bob.acme', 'POST', '/chats/turn/stop');
      await waitUntil('the others end as theirs do', () => kept.every(({ how }) => how === 'done'));
      await setRole(headers.id, 'editor');
      await waitUntil('his turn is stored as stopped', async () => {
        const answer = await fixture.call('bob.acme', 'GET', '/chats/detached', undefined, headers);
        return ((await answer.json()) as { run: string }).run === 'stopped';
      });
    });
  },
);

it('all lose what is open in a team that is deleted', async () => {
  const headers = await team('deleted', 'editor');
  const begin = (token: string) => fixture.call(token, 'POST', '/?id=turn', ENDLESS, headers);
  const held = [await hold(await begin('ann.acme')), await hold(await begin('bob.acme'))];
  for (const one of held) one.readOn();
  await fixture.call('ann.acme', 'DELETE', `/workspaces/${headers.id}`);
  clock.advance(20_000);
  await waitUntil('both are cut off', () => held.every(({ how }) => how === 'cut'));
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Chat } from '@berth/contract/agent';
import { createSystemClock } from '@berth/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { readTurn, turnEvents } from '../testing/read-turn.ts';

const say = (content: string, detach = false) => ({ messages: [{ role: 'user', content }], detach });

let dataFolder: string;

beforeEach(async () => {
  dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-'));
});

afterEach(() => rm(dataFolder, { recursive: true, force: true }));

test('a run is followed and stopped over another instance than the one that produces it', async () => {
  // Holds the agent to the contract: verifies('run.instances')
  const handler = async function* ({ signal }: { signal: AbortSignal }) {
    yield 'from the first';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  await using first = await openTestAgent({ dataFolder, handler });
  await using second = await openTestAgent({ dataFolder, handler });
  const own = await first.call('alice', 'POST', '/?id=c1', say('go'));
  expect((await second.call('alice', 'POST', '/?id=c1', say('me too'))).status).toBe(409);
  const followed = readTurn(await second.call('alice', 'GET', '/chats/c1/stream'));
  expect((await second.call('alice', 'POST', '/chats/c1/stop')).status).toBe(202);
  const [there, here] = await Promise.all([followed, readTurn(own)]);
  expect(there).toEqual(here);
  expect(there).toMatchObject({ isDone: true, text: 'from the first' });
  const chat = (await (await second.call('alice', 'GET', '/chats/c1')).json()) as Chat;
  expect(chat).toMatchObject({ run: 'stopped', messages: [{ content: 'go' }, { status: 'stopped' }] });
});

test('a run whose process was killed ends where its log does, interrupted, and the chat goes on', async () => {
  // Holds the agent to the contract: verifies('run.killed')
  const script = path.join(import.meta.dirname, '../testing/agent-process.ts');
  const child = spawn(process.execPath, [script, dataFolder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const seen: string[] = [];
  let cursor = '';
  try {
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    const response = await fetch(`${url}/?id=c1`, {
      method: 'POST',
      headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
      body: JSON.stringify(say('count', true)),
    });
    for await (const { id, frame } of turnEvents(response)) {
      if (frame?.type !== 'text') continue;
      seen.push(frame.text);
      // Long enough that the first frames are in the log for certain, soon enough that the last are not.
      if (seen.length === 5) cursor = id ?? '';
      if (seen.length === 20) break;
    }
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  // Nobody has heard of the process for half a minute.
  const clock = createSystemClock();
  await using next = await openTestAgent({ dataFolder, clock: { ...clock, nowMs: () => clock.nowMs() + 31_000 } });
  const waiting = (await (await next.call('alice', 'GET', '/chats/c1')).json()) as Chat;
  expect(waiting).toMatchObject({ run: 'interrupted' });
  expect(waiting.messages[1]).toMatchObject({ status: 'interrupted', content: expect.stringMatching(/^0 1 2 3 4 /) });

  const rest = await readTurn(await next.call('alice', 'GET', `/chats/c1/stream?after=${cursor}`));
  expect(rest.isDone).toBe(true);
  expect(rest.text.startsWith(seen.slice(5).join('').slice(0, 10))).toBe(true);
  const whole = await readTurn(await next.call('alice', 'GET', '/chats/c1/stream'));
  expect(whole.frames.at(-1)).toEqual({ type: 'status', status: 'interrupted' });
  expect(whole.ids.map((id) => Number(id.split(':')[1]))).toEqual(whole.ids.map((_id, index) => index + 1));

  const chat = (await (await next.call('alice', 'GET', '/chats/c1')).json()) as Chat;
  expect(chat.messages[1]).toMatchObject({ role: 'assistant', status: 'interrupted', content: whole.text });
  expect(chat.messages[1]?.parts?.[0]).toMatchObject({ id: 's1', ok: false });
  expect((await next.call('alice', 'POST', '/chats/c1/stop')).status).toBe(404);
  expect((await readTurn(await next.call('alice', 'POST', '/?id=c1', say('go on')))).text).toBe('You said: go on');
});

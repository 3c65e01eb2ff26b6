import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { defineTool } from '@berth/agent-core';
import type { Chat } from '@berth/contract/agent';
import { startsOver } from '@berth/contract/frame-id';
import { createSystemClock } from '@berth/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { scripted } from '../models/scripted.ts';
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

// Fails when the turn isn't taken over, starts over, calls the tool again, or a reader keeps words that no one else has.
test('a turn whose process was killed is finished by another one, and its reader ends with what is stored', async () => {
  const script = path.join(import.meta.dirname, '../testing/agent-process.ts');
  const child = spawn(process.execPath, [script, dataFolder, '0', 'model'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let seen = '';
  let cursor = '';
  try {
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    const response = await fetch(`${url}/?id=c1`, {
      method: 'POST',
      headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
      body: JSON.stringify(say('count', true)),
    });
    for await (const { id, frame } of turnEvents(response)) {
      cursor = id ?? '';
      if (frame?.type === 'text') seen += frame.text;
      if (seen.length > 100) break;
    }
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const clock = createSystemClock();
  let ran = 0;
  const note = defineTool({ name: 'note', description: 'Notes.', input: z.object({}), run: () => ++ran });
  await using next = await openTestAgent({
    ...{ dataFolder, handler: undefined, model: scripted('the end.'), tools: [note] },
    clock: { ...clock, nowMs: () => clock.nowMs() + 31_000 },
  } as object);
  const rest = await readTurn(await next.call('alice', 'GET', `/chats/c1/stream?after=${cursor}`));
  expect(rest.isDone).toBe(true);
  const chat = (await (await next.call('alice', 'GET', '/chats/c1')).json()) as Chat;
  expect(chat).toMatchObject({ run: 'done', messages: [{ content: 'count' }, { role: 'assistant' }] });
  const stored = chat.messages[1]?.parts?.map((part) => (part.type === 'text' ? part['text'] : '')).join('') ?? '';
  expect(stored).toMatch(/^0 1 2 .*\n\nthe end\.$/s);
  // The rule of docs/contract/agent-api.md §2: drop what there is when the frames start over.
  expect(startsOver(cursor, rest.ids[0] ?? '') ? rest.text : seen + rest.text).toBe(stored);
  expect([ran, chat.messages[1]?.parts?.[0]]).toEqual([0, expect.objectContaining({ ok: true, result: 'noted' })]);
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
  // No one has heard of the process for half a minute.
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

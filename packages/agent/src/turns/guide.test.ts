import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Chat, Frame } from '@berth/contract/agent';
import { waitUntil } from '@berth/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Agent } from '../compose/agent.ts';
import { openScriptedUpstream, sse } from '../models/testing/open-scripted-upstream.ts';
import { leaveKilledTurn } from '../testing/leave-killed-turn.ts';

const REPO = path.resolve(import.meta.dirname, '../../../..');
const GUIDE = readFileSync(path.join(REPO, 'docs/guides/agent-storage.md'), 'utf8');

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'guide-'));
  await symlink(path.join(REPO, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Starts the program below a heading of the guide where a turn was killed, and returns its chat when the turn has ended. */
async function continued(heading: string, text: string, frames: readonly Frame[]): Promise<Chat> {
  const dataFolder = await mkdtemp(path.join(folder, 'data-'));
  await leaveKilledTurn(frames, { dataFolder, userId: 'dev', text });
  const section = GUIDE.split(/^##+ /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const file = path.join(dataFolder, 'agent.ts');
  await writeFile(file, /^```ts\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '');
  vi.stubEnv('BERTH_AGENT_DATA', dataFolder);
  // Log lines.
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { agent } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { agent: Agent };
  try {
    const headers = { Authorization: 'Bearer any' };
    const read = async () =>
      (await (await agent.fetch(new Request('http://agent.test/chats/c1', { headers }))).json()) as Chat;
    await waitUntil('the turn has ended', async () => (await read()).run !== 'running');
    return await read();
  } finally {
    await agent.close({ drainMs: 0 });
  }
}

describe('the programs of docs/guides/agent-storage.md', () => {
  // Fails when the tool isn't idempotent in the guide: the model is told that it may have run, and the status isn't set.
  test('go on with a call that may run twice', async () => {
    const chunk = { choices: [{ index: 0, delta: { content: 'It is sent.' }, finish_reason: 'stop' }] };
    await using upstream = await openScriptedUpstream(sse([chunk, '[DONE]']));
    vi.stubEnv('MODEL_URL', upstream.url);
    const args = '{"order":"7","status":"sent"}';
    const { run, messages } = await continued('Turns that go on', 'Order 7 is sent.', [
      { type: 'step', id: '1', step: 'set_status', tool_name: 'set_status', args, started: true },
    ]);
    expect(run).toBe('done');
    expect(messages.at(-1)).toMatchObject({
      content: 'It is sent.',
      parts: [{ ok: true, result: '{"7":"sent"}' }, {}],
    });
    expect(upstream.seen).toHaveLength(1);
  });

  const begun: Frame = { type: 'step', id: 'send', step: 'Send the letter' };

  // Fails when the handler of the guide sends again what it sent, or what it may have sent; or isn't called at all.
  test.each([
    ['sends what it had not begun to send', [], ['Sent: Dear Ann'], 'Your letter is sent.'],
    ['sends nothing twice', [begun, { ...begun, ok: true }], [], 'Your letter is sent.'],
    ['asks when it may have sent', [begun], [], 'Your letter may have been sent. Ask before you send it again.'],
  ] as const)('go on in a handler, which %s', async (_what, frames, sent, says) => {
    const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
    const { run, messages } = await continued('Handlers that go on', 'Dear Ann', frames);
    expect([run, messages.at(-1)?.content]).toEqual(['done', says]);
    expect(log.mock.calls.flat()).toEqual(sent);
  });
});

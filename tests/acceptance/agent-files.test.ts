import type { Chat, Frame } from '@berth/contract/agent';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentCaller, agentToken, callerOf, deployAgent, type FrameEvent, textOf } from '../harness/agents.ts';
import { cli } from '../harness/cli.ts';
import { needs } from '../harness/needs.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const NAME = 'agent-files';
// The agent's commands and LibreOffice run in sandboxes of its own.
const berth = useBerth({ args: ['--nested-sandboxes'] });
let ada: AgentCaller;

beforeAll(async () => {
  await deployAgent(berth, NAME, 'agent-files');
  ada = callerOf(berth, NAME, await agentToken(berth, NAME));
}, 180_000);

async function say(chatId: string, text: string, more: Readonly<Record<string, unknown>> = {}) {
  using turn = await ada.turn(chatId, text, more);
  return await turn.finish();
}
const steps = (events: readonly FrameEvent[]) =>
  events.flatMap(({ frame }) => (frame !== '[DONE]' && frame.type === 'step' ? [frame] : []));
/** What the turn asks for. */
function confirmation(events: readonly FrameEvent[]): Frame & { readonly key: string } {
  const found = events.find(({ frame }) => frame !== '[DONE]' && frame.type === 'ui' && frame.action === 'confirm');
  if (!found) throw new Error(`nothing was asked: ${JSON.stringify(events)}`);
  return found.frame as Frame & { readonly key: string };
}
const names = async () => (await ada.call('GET', '/files')).json<{ name: string }[]>().map(({ name }) => name);

describe('its tools', () => {
  it('work on the files of the person, and show each step', async () => {
    const written = await say('work', 'write notes.md: Buy bread.');
    expect(steps(written)[0]).toMatchObject({ tool_name: 'write_file' });
    expect(steps(written).at(-1)).toMatchObject({ ok: true });
    expect((await ada.call('GET', '/files/notes.md')).text).toBe('Buy bread.');
    expect(textOf(await say('work', 'read notes.md'))).toContain('Buy bread.');
    expect(textOf(await say('work', 'list'))).toContain('notes.md');
    expect(textOf(await say('work', 'read ../../../etc/passwd'))).not.toContain('root:');
    const { messages } = (await ada.call('GET', '/chats/work')).json<Chat>();
    expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(4);
  });

  it('run commands on the files, and see nothing of the agent', async () => {
    await ada.call('PUT', '/tools/run_command', { mode: 'allow' });
    await say('command', 'write count.txt: one two three');
    expect(textOf(await say('command', 'run wc -w count.txt'))).toContain('3 count.txt');
    const seen = textOf(await say('command', 'run env; id -u; ls -a .. ; cat /proc/1/environ'));
    expect(seen).not.toMatch(/K_SERVICE|BERTH_|^0$/m);
  });

  it('ask before they delete, once for each key', async () => {
    await say('ask', 'write old.md: Gone soon.');
    const asked = confirmation(await say('ask', 'delete old.md'));
    expect(asked).toMatchObject({ tool: 'delete_file', args: { path: 'old.md' }, label: expect.any(String) });
    expect(await names()).toContain('old.md');
    const decision = await ada.call('POST', `/chats/ask/approvals/${asked.key}`, {
      decision: 'approve',
      resume: false,
    });
    expect(decision.json()).toMatchObject({ ok: true, tool: 'delete_file', decision: 'approve' });
    expect(steps(await say('ask', 'Go on.')).at(-1)).toMatchObject({ ok: true });
    expect(await names()).not.toContain('old.md');
    expect((await ada.call('POST', `/chats/ask/approvals/${asked.key}`, { decision: 'approve' })).status).toBe(404);
  });

  it('take a key with the next message, and no forged one', async () => {
    await say('keys', 'write a.md: A.');
    const { key } = confirmation(await say('keys', 'delete a.md'));
    await say('keys', 'Go on.', { approvals: [`${key.slice(0, -2)}xx`] });
    expect(await names()).toContain('a.md');
    const again = confirmation(await say('keys', 'delete a.md'));
    await say('keys', 'Go on.', { approvals: [again.key] });
    expect(await names()).not.toContain('a.md');
    expect((await ada.call('GET', '/trash')).json()).toContainEqual(
      expect.objectContaining({ path: 'a.md', by: 'agent' }),
    );
  });

  it('obey the person: ask for writes too, or never', async () => {
    confirmation(await say('modes', 'write b.md: B.', { auto: false }));
    expect(await names()).not.toContain('b.md');
    await ada.call('PUT', '/tools/delete_file', { mode: 'never' });
    const hidden = await say('modes', 'delete notes.md');
    expect(await names()).toContain('notes.md');
    expect(hidden.some(({ frame }) => frame !== '[DONE]' && frame.type === 'ui')).toBe(false);
    await ada.call('PUT', '/tools/delete_file', { mode: 'allow' });
    await say('modes', 'write c.md: C.');
    await say('modes', 'delete c.md');
    expect(await names()).not.toContain('c.md');
    await ada.call('DELETE', '/tools/delete_file');
  });
});

it('shows office files by the LibreOffice of the machine, which a deployed agent opens in a sandbox within its own', async (context) => {
  await needs(context, 'libreoffice');
  await ada.call('PUT', '/files/note.rtf', undefined, { body: Buffer.from('{\\rtf1 Bought.}') });
  const pdf = await ada.call('GET', '/files/note.rtf?as=pdf');
  expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, '%PDF-']);
}, 120_000);

it('berth chat says how to allow what is asked for, and does it', async () => {
  await say('terminal', 'write d.md: D.');
  const asked = await cli(berth, ['chat', NAME, '--chat', 'terminal', '-m', 'delete d.md']);
  expect(asked.code).toBe(1);
  const key = /--approve (\S+)/.exec(asked.stderr)?.[1] ?? '';
  const done = await cli(berth, ['chat', NAME, '--chat', 'terminal', '-m', 'Go on.', '--approve', key]);
  expect(done.code).toBe(0);
  expect(await names()).not.toContain('d.md');
});

// Fails when the command finds another agent than `berth chat`, or the answer doesn't go on after the decision.
it('berth approvals lists what waits over all chats, and decides', async () => {
  await say('inbox', 'write e.md: E.');
  await cli(berth, ['chat', NAME, '--chat', 'inbox', '-m', 'delete e.md']);
  const listed = async () => JSON.parse((await cli(berth, ['approvals', 'ls', NAME, '--json'])).stdout);
  const keyOf = async () => (await listed()).find((row: { chat_id: string }) => row.chat_id === 'inbox').key;
  const denied = await cli(berth, ['approvals', 'deny', NAME, await keyOf(), '--reason', 'Not yet.']);
  expect(denied).toMatchObject({ code: 0, stderr: 'Denied delete_file. The answer continues.\n' });
  const chat = async () => (await ada.call('GET', '/chats/inbox')).json<Chat>();
  await waitFor('the answer has ended', async () => (await chat()).run === 'done');
  expect(JSON.stringify(await chat())).toContain('Their reason: Not yet.');
  await cli(berth, ['chat', NAME, '--chat', 'inbox', '-m', 'delete e.md']);
  expect(await cli(berth, ['approvals', 'approve', NAME, await keyOf()])).toMatchObject({ code: 0 });
  await waitFor('the file is deleted', async () => !(await names()).includes('e.md'));
  expect((await listed()).filter((row: { chat_id: string }) => row.chat_id === 'inbox')).toEqual([]);
});

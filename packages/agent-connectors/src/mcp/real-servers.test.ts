import { createOutbound } from '@berth/agent-core';
import { createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { getPrompt } from '../turns/expand-prompt.ts';
import { callTool } from './call-tool.ts';
import { readLists } from './read-lists.ts';
import { serveCurrent } from './testing/serve-current.ts';
import { serveEverything } from './testing/serve-everything.ts';
import { type McpSession, withMcpSession } from './with-session.ts';

const outbound = createOutbound({ allowedNetworks: ['127.0.0.1/32'] });

const talkTo =
  (url: string) =>
  <Result>(work: (session: McpSession) => Promise<Result>) =>
    withMcpSession(
      { url, authorize: () => {} },
      { outbound, clock: createSystemClock(), timeoutMs: 30_000, maxBytes: 5e6 },
      work,
    );

test('a server of the revision before the current one: lists, calls, prompts', async () => {
  await using server = await serveEverything();
  const talk = talkTo(server.url);
  const { tools, prompts, leftOut } = await talk(readLists);
  // `simulate-research-query` only runs as a task.
  expect(leftOut).toBe(1);
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']));
  expect(tools.find(({ name }) => name === 'get-sum')).toMatchObject({
    inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a', 'b'] },
  });
  expect(prompts.map(({ name }) => name)).toContain('simple-prompt');
  const call = (name: string, args: Record<string, unknown>) => talk((session) => callTool(session, { name }, args));
  expect(await call('echo', { message: 'hello' })).toMatchObject({ text: 'Echo: hello', isError: false });
  expect(await call('get-sum', { a: 'x' })).toMatchObject({ isError: true });
  expect(await call('get-tiny-image', {})).toMatchObject({ files: [{ mediaType: 'image/png' }] });
  expect((await call('get-resource-links', { count: 2 })).text).toContain('[Link: ');
  await expect(call('no-such-tool', {})).resolves.toMatchObject({ isError: true });
  expect(await talk((session) => getPrompt(session, 'simple-prompt', {}))).toContain('prompt');
});

test('a server of the current revision: one request for a call, without a session', async () => {
  await using server = await serveCurrent();
  const talk = talkTo(server.url);
  const { tools, prompts } = await talk(readLists);
  expect(tools).toMatchObject([
    { name: 'add', title: 'Add', hints: { isReadOnly: true } },
    { name: 'where' },
    { name: 'ask' },
  ]);
  expect(prompts).toMatchObject([{ name: 'greet', arguments: [{ name: 'name', isRequired: true }] }]);
  expect(await talk((session) => callTool(session, { name: 'add' }, { a: 1, b: 2 }))).toMatchObject({
    text: '3',
  });
  expect(await talk((session) => getPrompt(session, 'greet', { name: 'Ada' }))).toBe('Greet Ada.');
  const where = tools[1] ?? expect.fail('no tool');
  expect((await talk((session) => callTool(session, where, { region: 'north' }))).text).toBe('north');
  expect(server.headers.at(-1)?.get('mcp-param-region')).toBe('north');
  await expect(talk((session) => callTool(session, { name: 'ask' }, {}))).rejects.toThrow(
    /asks the person for input|refused/,
  );
  expect(server.headers.every((one) => one.get('mcp-protocol-version') === '2026-07-28')).toBe(true);
  expect(server.headers.some((one) => one.has('mcp-session-id'))).toBe(false);
});

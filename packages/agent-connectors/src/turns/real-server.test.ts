import { framesOf, type ReadTurn } from '@berth/agent/testing';
import { expect, test } from 'vitest';
import { mcp } from '../declare/mcp.ts';
import { serveCurrent } from '../mcp/testing/serve-current.ts';
import { serveEverything } from '../mcp/testing/serve-everything.ts';
import { openConnectedAgent } from './testing/open-connected-agent.ts';

const confirmsOf = (turn: ReadTurn) => framesOf(turn, 'ui').filter(({ action }) => action === 'confirm');
const resultsOf = (turn: ReadTurn) => framesOf(turn, 'step').flatMap(({ result }) => result ?? []);

test('a real server: its tools and prompts are listed, set, called, asked for and refused', async () => {
  // Holds the agent to the contract: verifies('connector.tools'), verifies('connector.prompts'), verifies('connector.turn')
  await using server = await serveEverything();
  await using current = await serveCurrent();
  const echo = (message: string) => ({ calls: [{ tool: 'everything__echo', args: { message } }] });
  await using fixture = await openConnectedAgent(
    [
      { calls: [{ tool: 'find_tools', args: { query: 'echo a message' } }] },
      ({ tools }) => (tools.some(({ name }) => name === 'everything__echo') ? echo('first') : 'it was not found'),
      echo('first'),
      'said',
      echo('second'),
      echo('third'),
      'said again',
      {
        calls: [
          { tool: 'current__add', args: { a: 2, b: 3 } },
          { tool: 'everything__get-tiny-image', args: {} },
        ],
      },
      'added',
      'greeted',
    ],
    {
      connectors: [
        mcp({ name: 'everything', title: 'Everything', url: server.url, risks: { 'get-tiny-image': 'read' } }),
        mcp({ name: 'current', url: current.url, isReadOnlyTrusted: true }),
      ],
    },
  );
  const get = async (path: string) => (await fixture.call('alice', 'GET', `/connectors/${path}`)).json();

  const tools: { name: string }[] = await get('everything/tools');
  expect(tools.length).toBeGreaterThan(10);
  expect(tools.find(({ name }) => name === 'get-tiny-image')).toEqual({
    name: 'get-tiny-image',
    title: expect.any(String),
    description: expect.any(String),
    writes: false,
    mode: 'allow',
  });
  expect((await get('current/tools')).slice(0, 1)).toEqual([
    { name: 'add', title: 'Add', description: 'Add', writes: false, mode: 'allow' },
  ]);
  expect(await get('current/prompts')).toEqual([{ name: 'greet', title: 'greet', description: 'Greets' }]);
  expect((await fixture.call('alice', 'GET', '/connectors/nothing/tools')).status).toBe(404);
  await fixture.call('alice', 'PUT', '/connectors/everything/tools/echo', { mode: 'ask' });
  expect(await get('everything/tools')).toContainEqual(expect.objectContaining({ name: 'echo', mode: 'ask' }));

  // Found, called, asked for.
  const asked = await fixture.say('say something');
  expect(fixture.asked[0]?.tools.map(({ name }) => name)).toEqual(['find_tools']);
  expect(confirmsOf(asked)).toEqual([
    expect.objectContaining({ tool: 'everything__echo', args: { message: 'first' }, connector: 'everything' }),
  ]);
  const [{ key = '' }] = confirmsOf(asked) as unknown as [{ key?: string }];
  expect(await (await fixture.call('alice', 'GET', '/chats/c1/approvals')).json()).toMatchObject([
    { key, connector: 'everything' },
  ]);
  await fixture.call('alice', 'POST', `/chats/c1/approvals/${key}`, { decision: 'approve', resume: false });
  const ran = await fixture.say('go on');
  expect(resultsOf(ran)).toContain('Echo: first');
  expect(framesOf(ran, 'step')[0]).toMatchObject({ connector: 'everything' });
  // What the chat found before is in the request from the start.
  expect(fixture.asked.at(-1)?.tools.map(({ name }) => name)).toContain('everything__echo');

  // Refused, and then let through for good.
  const second = await fixture.say('another');
  const [no] = confirmsOf(second);
  await fixture.call('alice', 'POST', `/chats/c1/approvals/${no?.['key']}`, { decision: 'deny', resume: false });
  const third = await fixture.say('and now');
  expect(resultsOf(third)).not.toContain('Echo: second');
  const [yes] = confirmsOf(third);
  await fixture.call('alice', 'POST', `/chats/c1/approvals/${yes?.['key']}`, { decision: 'always', resume: false });
  expect(await get('everything/tools')).toContainEqual(expect.objectContaining({ name: 'echo', mode: 'allow' }));
  expect(await (await fixture.call('alice', 'GET', '/tools')).json()).toEqual({});
  expect(resultsOf(await fixture.say('third'))).toContain('Echo: third');

  // What only reads runs at once; a picture is kept and shown.
  const added = await fixture.say('add', { connectors: ['current', 'everything'] });
  expect(resultsOf(added)).toContain('5');
  const [picture] = framesOf(added, 'image');
  expect(picture?.src).toMatch(/^connectors\/everything\/\d{8}-\d{6}-get-tiny-image-[0-9a-f]{4}\.png$/);
  const file = await fixture.call('alice', 'GET', `/files/${picture?.src}`);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect((await fixture.call('bob.acme', 'GET', `/files/${picture?.src}`)).status).toBe(404);

  await fixture.say('/current:greet Ada Lovelace');
  expect(JSON.stringify(fixture.asked.at(-1)?.messages.at(-1))).toContain('Greet Ada Lovelace.');
  const empty = await fixture.say('/current:greet');
  expect(framesOf(empty, 'callout')[0]?.callout).toBe('This prompt needs more: /current:greet name="…"');
  const none = await fixture.say('/current:great');
  expect(framesOf(none, 'callout')[0]?.callout).toBe('current has no prompt "great". It has: greet.');
});

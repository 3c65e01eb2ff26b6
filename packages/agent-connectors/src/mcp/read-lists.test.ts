import { createOutbound } from '@berth/agent-core';
import { createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { readLists } from './read-lists.ts';
import { riskOf } from './remote-tool.ts';
import { sendResult, serveMcp, stream } from './testing/serve-mcp.ts';
import { withMcpSession } from './with-session.ts';

const outbound = createOutbound({ allowedNetworks: ['127.0.0.1/32'] });

const read = (url: string) =>
  withMcpSession(
    { url, authorize: () => {} },
    { outbound, clock: createSystemClock(), timeoutMs: 20_000, maxBytes: 20e6 },
    readLists,
  );

const object = { type: 'object' };
const tool = (name: unknown, more: object = {}) => ({ name, inputSchema: object, ...more });

test('of what a server says of its tools, what can be used is kept', async () => {
  const loop: Record<string, unknown> = { type: 'object', properties: { child: { $ref: '#' } } };
  const tools = [
    tool('plain', { title: 'A\u202e title\n', description: 'Does\u0000 it\u200b.' }),
    tool('plain', { description: 'another one of the same name' }),
    tool('a__b'),
    tool('Übersetzen'),
    tool('new\nline'),
    tool('\u202egnirts'),
    tool(''),
    tool('x'.repeat(129)),
    tool(7),
    tool('task', { execution: { taskSupport: 'required' } }),
    tool('no-schema', { inputSchema: undefined }),
    tool('no-object', { inputSchema: { type: 'string' } }),
    tool('large', { inputSchema: { type: 'object', description: 'x'.repeat(5_000_000) } }),
    tool('loop', { inputSchema: loop }),
    tool('lies', {
      inputSchema: {
        type: 'object',
        properties: {
          kind: { type: 'strin', enum: 'no list', minimum: 'low' },
          size: { type: ['integer', 'null'], minimum: 1, pattern: '(a+)+$', 'x-mcp-header': 'Size' },
          outside: { $ref: 'https://evil.example/schema.json' },
          place: { $ref: '#/$defs/place' },
          ['__proto__']: { type: 'string' },
        },
        required: ['size', 'nowhere', 7],
        $defs: { place: { type: 'string', oneOf: [{ const: 'here' }, { const: 'there' }] } },
      },
    }),
    null,
    'a tool',
  ];
  await using server = await serveMcp({
    'tools/list': { tools, ttlMs: 1_000 },
    'prompts/list': { prompts: [{ name: 'sum', arguments: [{ name: 'a', required: true }, { name: 'b' }, 7] }, {}] },
  });
  const found = await read(server.url);
  expect(found.tools.map(({ name }) => name)).toEqual(['plain', 'a__b', 'Übersetzen', 'loop', 'lies']);
  expect(found.tools[0]).toMatchObject({ title: 'A title', description: 'Does it.' });
  expect(found.tools.at(-2)?.inputSchema).toEqual({
    type: 'object',
    properties: { child: { type: 'object', properties: { child: {} } } },
  });
  expect(found.tools.at(-1)).toMatchObject({
    inputSchema: {
      type: 'object',
      properties: {
        kind: {},
        size: { type: ['integer', 'null'], minimum: 1 },
        outside: {},
        place: { type: 'string', anyOf: [{ const: 'here' }, { const: 'there' }] },
      },
      required: ['size'],
    },
    headers: { type: 'object', properties: { size: { 'x-mcp-header': 'Size' } } },
  });
  expect(found.prompts).toEqual([
    {
      name: 'sum',
      title: 'sum',
      description: '',
      arguments: [
        { name: 'a', isRequired: true },
        { name: 'b', isRequired: false },
      ],
    },
  ]);
  expect(found).toMatchObject({ leftOut: 13, ttlMs: 1_000 });
});

test('10,000 tools, and pages without an end, are read up to a bound', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => tool(`tool-${index}`));
  await using server = await serveMcp({ 'tools/list': { tools: many } });
  expect(await read(server.url)).toMatchObject({ tools: { length: 500 }, leftOut: 9_500 });
  let page = 0;
  server.script['tools/list'] = (response, asked) =>
    sendResult(response, asked, { tools: [tool(`tool-${page}`)], nextCursor: String(page++) });
  expect((await read(server.url)).tools).toHaveLength(65);
  server.script['tools/list'] = (response, asked) =>
    sendResult(response, asked, { tools: [tool('a')], nextCursor: 'same' });
  expect((await read(server.url)).tools).toHaveLength(1);
});

test('what is nested too deep is left out', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  await using server = await serveMcp({
    'tools/list': (response, { id }) => {
      const tools = [
        tool('plain'),
        tool('deep', { annotations: 'DEEP' }),
        tool('deeper', { inputSchema: { ...object, x: 'DEEP' } }),
      ];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }).replaceAll('"DEEP"', `{"a":${deep}}`));
    },
  });
  expect(await read(server.url)).toMatchObject({ tools: [{ name: 'plain' }], leftOut: 2 });
});

test('the same definition has the same hash, another one another', async () => {
  await using server = await serveMcp();
  const hashOf = async (definition: object) => {
    server.script['tools/list'] = {
      tools: [{ name: 'echo', description: 'Says it', inputSchema: object, ...definition }],
    };
    return (await read(server.url)).tools[0]?.hash;
  };
  const hash = await hashOf({});
  expect(await hashOf({ icons: [] })).toBe(hash);
  const others = [
    { description: 'Says it, and sends it on' },
    { title: 'Echo' },
    { inputSchema: { ...object, properties: { to: {} } } },
    { inputSchema: { ...object, pattern: 'x' } },
    { annotations: { readOnlyHint: true } },
  ];
  const hashes = new Set([hash]);
  for (const other of others) hashes.add(await hashOf(other));
  expect(hashes.size).toBe(others.length + 1);
});

test('what a server asks of its client is refused, and the answer comes all the same', async () => {
  const refused: unknown[] = [];
  await using server = await serveMcp({
    'tools/list': (response, { id }) => {
      const requests = ['sampling/createMessage', 'elicitation/create', 'roots/list', 'own/thing'];
      stream(
        response,
        ...requests.map((method) => ({ jsonrpc: '2.0', id: method, method, params: {} })),
        ...Array.from({ length: 1_000 }, () => ({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })),
        { jsonrpc: '2.0', id, result: { tools: [tool('echo')] } },
      ).end();
    },
    undefined: (response, asked) => {
      refused.push((asked as unknown as { error: { code: number } }).error.code);
      response.writeHead(202).end();
    },
  });
  expect((await read(server.url)).tools).toHaveLength(1);
  await expect.poll(() => refused.length, { timeout: 10_000 }).toBe(4);
  expect(new Set(refused)).toEqual(new Set([-32_601]));
});

const READ = { isReadOnly: true };
const ADDS = { isDestructive: false };
const LOSES = { isDestructive: true };

test.each([
  // [declared, hints, trusted, risk]
  [undefined, {}, false, 'destructive'],
  [undefined, { isReadOnly: false }, false, 'destructive'],
  [undefined, ADDS, false, 'write'],
  [undefined, READ, false, 'write'],
  [undefined, READ, true, 'read'],
  [undefined, { ...READ, ...LOSES }, true, 'destructive'],
  ['read', {}, false, 'read'],
  ['read', READ, false, 'read'],
  ['read', { isReadOnly: false }, false, 'write'],
  ['read', LOSES, true, 'destructive'],
  ['write', READ, true, 'write'],
  ['write', ADDS, false, 'write'],
  ['write', LOSES, false, 'destructive'],
  ['destructive', { ...READ, ...ADDS }, true, 'destructive'],
] as const)('declared %s, hinted %o, trusted %s: %s', (declared, hints, isReadOnlyTrusted, risk) => {
  const risks = declared === undefined ? {} : { echo: declared };
  expect(riskOf({ name: 'echo', hints }, { url: '', isReadOnlyTrusted, risks })).toBe(risk);
});

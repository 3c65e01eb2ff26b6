import { openTestAgent, type TestAgent } from '@berth/agent/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { key } from '../declare/key.ts';
import { mcp } from '../declare/mcp.ts';
import { oauth } from '../declare/oauth.ts';
import { type KeyServer, openKeyServer } from '../testing/open-key-server.ts';

let agent: TestAgent;
let server: KeyServer;
beforeAll(async () => {
  server = await openKeyServer();
  const { host } = new URL(server.url);
  agent = await openTestAgent({
    workspaces: 'member',
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
    connectors: [
      key({
        name: 'crm',
        title: 'CRM',
        description: 'Customers.',
        icon: '/public/crm.svg',
        api: server.url,
        probe: 'me',
      }),
      key({ name: 'own', scope: 'user', header: 'X-Api-Key', api: 'https://api.example.com/v1' }),
      key({ name: 'shared', scope: 'workspace', api: 'https://api.example.com' }),
      key({
        name: 'wiki',
        endpoint: { hosts: ['.wiki.example', `http://${host}`], example: 'https://acme.wiki.example' },
      }),
      oauth({ name: 'mail', issuer: 'https://login.example.com', api: 'https://mail.example.com' }),
      mcp({ name: 'open', url: 'https://mcp.example.com/mcp' }),
    ],
  });
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

type Row = Record<string, unknown>;
const list = async (token: string, workspace?: string): Promise<Row[]> => {
  const response = await agent.call(
    token,
    'GET',
    '/connectors',
    undefined,
    workspace ? { 'X-Workspace': workspace } : {},
  );
  expect(response.status).toBe(200);
  return (await response.json()) as Row[];
};
const row = async (token: string, name: string, workspace?: string) =>
  (await list(token, workspace)).find((one) => one['name'] === name);
const send = async (
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  workspace?: string,
): Promise<[number, Row & { detail?: unknown }]> => {
  const headers = workspace ? { 'X-Workspace': workspace } : {};
  const response = await agent.call(token, method, `/connectors${path}`, body, headers);
  return [response.status, (await response.json()) as Row];
};
/** A team of the owner's, with the others as editors. */
const makeTeam = async (owner: string, ...editors: string[]): Promise<string> => {
  const { id } = (await (await agent.call(owner, 'POST', '/workspaces', { name: 'Team' })).json()) as { id: string };
  for (const editor of editors) {
    const put = await agent.call(owner, 'PUT', `/workspaces/${id}/members/${editor}`, { role: 'editor' });
    expect(put.status).toBe(200);
  }
  return id;
};

it('lists what is declared, and what it is to the caller', async () => {
  // Holds the agent to the contract: verifies('connector.list')
  const rows = await list('alice');
  expect(rows.map(({ name, connected }) => `${name} ${connected}`)).toEqual([
    'crm false',
    'own false',
    'shared false',
    'wiki false',
    'mail false',
    'open true',
  ]);
  expect(rows[0]).toEqual({
    name: 'crm',
    kind: 'key',
    scope: 'either',
    title: 'CRM',
    description: 'Customers.',
    icon: '/public/crm.svg',
    auth: 'key',
    connected: false,
    connected_as: null,
    url: server.url,
    on: true,
    allowed: true,
    enabled: true,
    admin: true,
  });
  expect((await (await agent.call(undefined, 'GET', '/config')).json()) as Row).toMatchObject({ connectors: true });
});

it('keeps a key of each person, and never shows it', async () => {
  // Holds the agent to the contract: verifies('connector.key'), verifies('connector.disconnect')
  const secret = 'good-key-of-bob';
  const [status, changed] = await send('bob', 'PUT', '/crm/key', { key: `  Bearer ${secret}\n` });
  expect([status, changed]).toEqual([200, { ok: true, ...(await row('bob', 'crm')) }]);
  expect(changed).toMatchObject({ connected: true, connected_as: 'user' });
  expect(JSON.stringify(changed)).not.toContain('good');
  expect(server.seen.at(-1)).toBe(`GET /me ${secret}`);
  expect(await row('alice', 'crm')).toMatchObject({ connected: false });
  for (let time = 0; time < 2; time++) {
    const [gone, after] = await send('bob', 'DELETE', '/crm');
    expect([gone, after]).toMatchObject([200, { ok: true, connected: false, connected_as: null }]);
  }
});

it('asks the API whether a key is good, and keeps none that is not', async () => {
  const before = await send('dan', 'PUT', '/crm/key', { key: 'good-first' });
  expect(before[0]).toBe(200);
  const [refused, { detail }] = await send('dan', 'PUT', '/crm/key', { key: 'bad-key' });
  expect([refused, detail]).toEqual([400, 'CRM rejected this key (401). Check that it was pasted completely.']);
  for (const trouble of [500, 429, 'silence'] as const) {
    server.trouble = trouble;
    const [status, answer] = await send('dan', 'PUT', '/crm/key', { key: 'good-second' });
    expect([status, answer.detail]).toEqual([503, expect.stringContaining('was not saved')]);
    expect(String(answer.detail)).not.toContain('good-second');
  }
  server.trouble = undefined;
  // The one that was there is there still.
  expect(await row('dan', 'crm')).toMatchObject({ connected: true });
});

it.each([
  [{ key: '   ' }, 'key'],
  [{ key: 'x'.repeat(4_097) }, 'key'],
  [{ key: 'good\r\nX-Evil: 1' }, 'key'],
  [{ key: 'good\u0000' }, 'key'],
  [{ key: 'good\u202e' }, 'key'],
  [{ key: 'schlüssel' }, 'key'],
  [{}, 'key'],
  [{ key: 5 }, 'key'],
  [{ key: 'good', scope: 'everybody' }, 'scope'],
  [{ key: 'good', endpoint: 'https://evil.example' }, 'endpoint'],
])('refuses %j, and keeps nothing', async (body, field) => {
  const asked = server.seen.length;
  const [status, { detail }] = await send('eve', 'PUT', '/crm/key', body);
  expect([status, (detail as { loc: string[] }[])[0]?.loc]).toEqual([422, ['body', field]]);
  expect(await row('eve', 'crm')).toMatchObject({ connected: false });
  expect(server.seen).toHaveLength(asked);
});

it.each([
  'https://wiki.example',
  'https://evil.example',
  'https://evilwiki.example',
  'https://acme.wiki.example.evil.example',
  'https://acme.wiki.example@evil.example',
  'https://evil.example#.wiki.example',
  'https://evil.example/.wiki.example',
  'https://evil.example\\.wiki.example',
  'https://user:pass@acme.wiki.example',
  'https://acme.wiki.example%2eevil.example',
  'https://evil.example%2f.wiki.example',
  'https://.wiki.example',
  'https://acme..wiki.example',
  'https://acme.wiki.example:8443',
  'https://acme.wiki.example.',
  'https://acme.wiki.example?x=1',
  'https://acme.wiki\n.example',
  'http://acme.wiki.example',
  'HTTP://acme.wiki.example',
  'ftp://acme.wiki.example',
  'javascript:alert(1)//.wiki.example',
  'file:///etc/passwd',
  'https://127.0.0.1',
  'https://2130706433',
  'https://0x7f.1',
  'https://0177.0.0.1',
  'https://127.1',
  'https://[::1]',
  'https://[::ffff:127.0.0.1]',
  'https://localhost',
  'https://①②⑦.⓪.⓪.①',
  'http://127.0.0.1',
  'http://127.0.0.1:1',
  'https://169.254.169.254',
  '//evil.example',
  'https:evil.example',
  '',
  `https://acme.wiki.example/${'x'.repeat(3_000)}`,
])('%s is no address of the person’s: the key goes nowhere', async (endpoint) => {
  const asked = server.seen.length;
  const [status, { detail }] = await send('eve', 'PUT', '/wiki/key', { key: 'good', endpoint });
  expect([status, (detail as { loc: string[] }[])[0]?.loc]).toEqual([422, ['body', 'endpoint']]);
  expect([(await row('eve', 'wiki'))?.['connected'], server.seen.length]).toEqual([false, asked]);
});

it('takes an address of the person’s on a declared host', async () => {
  for (const endpoint of [
    'acme.wiki.example',
    'https://ACME.wiki.example/base/',
    'https://a.b.wiki.example:443',
    server.url,
  ]) {
    const [status, answer] = await send('fred', 'PUT', '/wiki/key', { key: 'good', endpoint });
    expect([endpoint, status, answer['connected']]).toEqual([endpoint, 200, true]);
  }
  const [status, { detail }] = await send('gina', 'PUT', '/wiki/key', { key: 'good' });
  expect([status, JSON.stringify(detail)]).toEqual([422, expect.stringContaining('https://acme.wiki.example')]);
});

it('tells what takes no key', async () => {
  for (const [name, how] of [
    ['mail', 'POST /connectors/mail/authorize'],
    ['open', 'needs no connection'],
  ]) {
    expect(await send('alice', 'PUT', `/${name}/key`, { key: 'good' })).toMatchObject([
      400,
      { detail: expect.stringContaining(how as string) },
    ]);
  }
  expect(await send('alice', 'DELETE', '/open')).toMatchObject([400, {}]);
  expect(await send('alice', 'PUT', '/own/key', { key: 'good', scope: 'workspace' })).toMatchObject([200, {}]);
});

it('uses a person’s own connection first, everywhere, then the workspace’s', async () => {
  // Holds the agent to the contract: verifies('connector.scope'), verifies('connector.manage')
  const team = await makeTeam('hal', 'ida');
  const other = await makeTeam('hal', 'ida');
  const as = async (token: string, name: string, workspace?: string) =>
    (await row(token, name, workspace))?.['connected_as'];
  const shared = { key: 'good-of-team', scope: 'workspace' };
  const denied = await send('ida', 'PUT', '/crm/key', shared, team);
  expect(denied).toMatchObject([403, { detail: expect.stringContaining('owners and admins') }]);
  expect(await send('ida', 'PUT', '/shared/key', { key: 'good' }, team)).toMatchObject([403, {}]);
  expect(await send('hal', 'PUT', '/crm/key', shared, team)).toMatchObject([200, { connected_as: 'workspace' }]);
  expect(await send('hal', 'PUT', '/shared/key', { key: 'good' }, team)).toMatchObject([
    200,
    { connected_as: 'workspace' },
  ]);
  expect(await send('hal', 'PUT', '/shared/key', { key: 'good', scope: 'user' }, team)).toMatchObject([400, {}]);
  expect(await send('hal', 'PUT', '/own/key', { key: 'good', scope: 'workspace' }, team)).toMatchObject([400, {}]);
  expect([await as('ida', 'crm', team), await as('ida', 'crm', other), await as('ida', 'crm')]).toEqual([
    'workspace',
    null,
    null,
  ]);
  expect([(await row('ida', 'crm', team))?.['admin'], (await row('hal', 'crm', team))?.['admin']]).toEqual([
    false,
    true,
  ]);

  expect(await send('ida', 'PUT', '/crm/key', { key: 'good-of-ida' }, team)).toMatchObject([
    200,
    { connected_as: 'user' },
  ]);
  expect([await as('ida', 'crm', other), await as('ida', 'crm'), await as('hal', 'crm', team)]).toEqual([
    'user',
    'user',
    'workspace',
  ]);
  // Sent twice it takes nothing of the team's.
  for (let time = 0; time < 2; time++) {
    expect(await send('ida', 'DELETE', '/crm', undefined, team)).toMatchObject([200, { connected_as: 'workspace' }]);
  }
  expect((await send('ida', 'DELETE', '/crm?scope=workspace', undefined, team))[0]).toBe(403);
  expect(await as('ida', 'crm', team)).toBe('workspace');
  expect(await send('hal', 'DELETE', '/crm?scope=workspace', undefined, team)).toMatchObject([
    200,
    { connected: false },
  ]);
  expect(await as('ida', 'crm', team)).toBe(null);
});

it('is switched by the organization, the workspace and the person, each for those below', async () => {
  // Holds the agent to the contract: verifies('connector.switch'), verifies('connector.unknown')
  const names = async (token: string, workspace?: string) => (await list(token, workspace)).map(({ name }) => name);
  const team = await makeTeam('jim.acme', 'kim');
  expect(await send('kim.acme', 'PATCH', '/crm', { on: false }, team)).toMatchObject([
    200,
    { on: false, enabled: true },
  ]);
  expect([
    await row('kim.acme', 'crm', team),
    await row('kim.acme', 'crm'),
    await row('jim.acme', 'crm', team),
  ]).toMatchObject([{ on: false }, { on: true }, { on: true }]);
  expect((await send('kim.acme', 'PATCH', '/crm', { enabled: false }, team))[0]).toBe(403);
  // All of it, or nothing.
  expect((await send('jim.acme', 'PATCH', '/crm', { enabled: false, allowed: false }, team))[0]).toBe(403);
  expect(await names('kim.acme', team)).toContain('crm');
  expect(await send('jim.acme', 'PATCH', '/crm', { enabled: false }, team)).toMatchObject([200, { enabled: false }]);
  expect([await names('kim.acme', team), await names('jim.acme', team), await names('kim.acme')]).toEqual([
    expect.not.arrayContaining(['crm']),
    expect.arrayContaining(['crm']),
    expect.arrayContaining(['crm']),
  ]);
  const hidden = await send('kim.acme', 'PATCH', '/crm', { on: true }, team);
  expect(hidden).toEqual(await send('kim.acme', 'PATCH', '/none', { on: true }, team));
  expect(hidden[0]).toBe(404);

  for (const token of ['alice', 'jim.acme', 'jim.acme.member']) {
    expect((await send(token, 'PATCH', '/mail', { allowed: false }))[0]).toBe(403);
  }
  expect(await send('pat.acme.admin', 'PATCH', '/mail', { allowed: false })).toMatchObject([200, { allowed: false }]);
  expect([
    await names('jim.acme'),
    await names('pat.acme.admin'),
    await names('jim.other'),
    await names('jim'),
  ]).toEqual([
    expect.not.arrayContaining(['mail']),
    expect.arrayContaining(['mail']),
    expect.arrayContaining(['mail']),
    expect.arrayContaining(['mail']),
  ]);
  expect(await send('pat.acme.admin', 'PATCH', '/mail', { allowed: true })).toMatchObject([200, { allowed: true }]);
  expect(await names('jim.acme')).toContain('mail');
  for (const body of [{}, { on: null }, { on: 'no' }, { off: true }]) {
    expect((await send('alice', 'PATCH', '/crm', body))[0]).toBe(422);
  }
});

it('keeps what a person decided of a tool, apart from tools of the agent’s own', async () => {
  // Holds the agent to the contract: verifies('connector.mode')
  for (const tool of ['create_issue', 'fetch', 'a%2Fb', 'Größe%20x']) {
    const answer = await send('lea', 'PUT', `/crm/tools/${tool}`, { mode: 'never' });
    expect(answer).toEqual([200, { ok: true, mode: 'never' }]);
  }
  expect(await (await agent.call('lea', 'GET', '/tools')).json()).toEqual({});
  for (const mode of ['sometimes', 'ALLOW', '', null, 5, ['allow']]) {
    expect(await send('lea', 'PUT', '/crm/tools/x', { mode })).toMatchObject([
      400,
      { detail: expect.stringContaining('allow, ask') },
    ]);
  }
  expect((await send('lea', 'PUT', '/crm/tools/x', {}))[0]).toBe(422);
  for (const tool of ['a%00b', 'a%E2%80%AEb', 'x'.repeat(129)]) {
    expect((await send('lea', 'PUT', `/crm/tools/${tool}`, { mode: 'ask' }))[0]).toBe(422);
  }
  expect((await send('lea', 'PUT', '/none/tools/x', { mode: 'ask' }))[0]).toBe(404);
});

it('is there for who signed in, of an agent that declares connectors', async () => {
  // Holds the agent to the contract: verifies('connector.mounted')
  for (const token of [undefined, 'bad', 'expired']) {
    expect((await send(token, 'GET', ''))[0]).toBe(401);
    expect((await send(token, 'PUT', '/crm/key', { key: 'good' }))[0]).toBe(401);
  }
  await using none = await openTestAgent();
  await using open = await openTestAgent({ hasAuth: false, connectors: [key({ name: 'crm', api: server.url })] });
  for (const [one, token] of [
    [none, 'alice'],
    [open, undefined],
  ] as const) {
    expect((await one.call(token, 'GET', '/connectors')).status).toBe(404);
    expect((await one.call(token, 'PUT', '/connectors/crm/key', { key: 'x' })).status).toBe(404);
    expect(await (await one.call(undefined, 'GET', '/config')).json()).toMatchObject({ connectors: false });
  }
});

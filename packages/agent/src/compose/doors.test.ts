import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { key, mcp, oauth } from '@berth/agent-connectors';
import { type InnerListener, openInnerListener, resolveInner } from '@berth/agent-core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { openToolAgent, type ToolAgent } from '../tools/testing/open-tool-agent.ts';
import { webTool } from '../tools/web/web-tool.ts';

// Holds the agent to the contract: verifies('connector.outbound')

/** The path that is asked at a target. */
const MARK = '/t';
const SCOPE = { title: 'x', scope: 'user' } as const;

let inner: InnerListener;
let agent: TestAgent;
let tools: ToolAgent;
/** Addresses to be led to. The first is of a network that the owner allows: each door has to ask there, or proves nothing. */
let targets: readonly string[] = [];
let hits: string[] = [];

/** In the owner's own network; it leads to where its path says. */
const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (path.includes(MARK)) hits.push(path);
  const [, kind, index] = /^\/(?:\.well-known\/[\w-]+\/)?(moved|named|meta)\/(\d+)/.exec(path) ?? [];
  const target = `${targets[Number(index)]}${MARK}`;
  const json = (body: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (kind === 'moved') response.writeHead(307, { location: target }).end();
  else if (kind === 'named') refuse(response, target);
  else if (kind === 'meta') json(metadataOf(`${base()}/meta/${index}`, target));
  else response.writeHead(404).end('{}');
});
const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function refuse(response: ServerResponse, target: string) {
  response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${target}"` }).end();
}

function metadataOf(issuer: string, target: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${target}/token`,
    registration_endpoint: `${target}/register`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
  };
}

/** A way on which another person's word becomes an address. */
interface Door {
  declare?(target: string, index: number): ReturnType<typeof key>;
  open(target: string, index: number): Promise<unknown>;
}

const call = (method: string, path: string, body?: unknown) => agent.call('alice', method, `/connectors/${path}`, body);
const authorize = (name: string) => call('POST', `${name}/authorize`);

const DOORS: Readonly<Record<string, Door>> = {
  'the API of a key': {
    declare: (target, index) => key({ ...SCOPE, name: `api-${index}`, api: target + MARK }),
    async open(_target, index) {
      await call('PUT', `api-${index}/key`, { key: 'a key to try' });
      await call('GET', `api-${index}/fetch/x`);
    },
  },
  'the check of a key': {
    declare: (target, index) => key({ ...SCOPE, name: `probe-${index}`, api: target + MARK, probe: 'me' }),
    open: (_target, index) => call('PUT', `probe-${index}/key`, { key: 'a key to try' }),
  },
  'an address that a person gives': {
    declare: (target, index) =>
      key({ ...SCOPE, name: `own-${index}`, endpoint: { hosts: [new URL(target).origin.replace('https://', '')] } }),
    async open(target, index) {
      const put = await call('PUT', `own-${index}/key`, { key: 'a key to try', endpoint: target + MARK });
      expect(put.status).toBe(200);
      await call('GET', `own-${index}/fetch/x`);
    },
  },
  'an MCP server': {
    declare: (target, index) => mcp({ ...SCOPE, name: `mcp-${index}`, url: target + MARK }),
    open: (_target, index) => call('GET', `mcp-${index}/tools`),
  },
  'the sign-in of an MCP server': {
    declare: (target, index) => mcp({ ...SCOPE, name: `sign-${index}`, url: target + MARK, auth: 'oauth' }),
    open: (_target, index) => authorize(`sign-${index}`),
  },
  'metadata that a resource names': {
    declare: (_target, index) =>
      mcp({ ...SCOPE, name: `named-${index}`, url: `${base()}/named/${index}`, auth: 'oauth' }),
    open: (_target, index) => authorize(`named-${index}`),
  },
  'the registration that a provider names': {
    declare: (_target, index) =>
      oauth({ ...SCOPE, name: `meta-${index}`, issuer: `${base()}/meta/${index}`, api: base(), scopes: [] }),
    open: (_target, index) => authorize(`meta-${index}`),
  },
  'a provider': {
    declare: (target, index) =>
      oauth({ ...SCOPE, name: `issuer-${index}`, issuer: target + MARK, api: base(), scopes: [] }),
    open: (_target, index) => authorize(`issuer-${index}`),
  },
  'the web tool': { open: (target) => tools.use('fetch_page', { url: target + MARK }) },
  'a redirect of a web page': {
    open: (_target, index) => tools.use('fetch_page', { url: `${base()}/moved/${index}` }),
  },
};

beforeAll(async () => {
  inner = await openInnerListener();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = inner;
  targets = [
    base(),
    ...[`http://127.0.0.2:${port}`, `https://[::1]:${port}`, `http://[::7f00:2]:${port}`, `http://0x7f000002:${port}`],
    ...[`http://inside.example:${port}`, `https://mixed.example:${port}`, `http://0.0.0.0:${port}`],
  ];
  const own = { allowedNetworks: ['127.0.0.1/32'] };
  const connectors = Object.values(DOORS).flatMap(({ declare }) =>
    declare ? targets.map((target, index) => declare(target, index)) : [],
  );
  agent = await openTestAgent({ outbound: own, resolveHost: resolveInner, connectors });
  tools = await openToolAgent([webTool(own)]);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await tools[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
  await inner[Symbol.asyncDispose]();
});

test.each(Object.entries(DOORS))('%s is asked where the owner allows it, and never inside', async (_name, { open }) => {
  hits = [];
  await open(targets[0] as string, 0);
  expect(hits).not.toEqual([]);
  hits = [];
  for (const [index, target] of targets.entries()) {
    if (index > 0) await open(target, index);
  }
  expect([hits, inner.connections]).toEqual([[], 0]);
});

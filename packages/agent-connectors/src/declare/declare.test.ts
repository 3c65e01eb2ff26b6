import { defineAgent } from '@berth/agent';
import { expect, test } from 'vitest';
import type { Connector } from '../connector/connector.ts';
import { type KeyOptions, key } from './key.ts';
import { type McpOptions, mcp } from './mcp.ts';
import { type OAuthOptions, oauth } from './oauth.ts';

const api = 'https://api.example.com/v2';
const url = 'https://mcp.example.com/mcp?x=1';

test('declarations fill in their defaults', () => {
  expect(key({ name: 'crm', api })).toEqual({
    name: 'crm',
    kind: 'key',
    title: 'crm',
    shown: { title: 'crm', description: '' },
    scope: 'either',
    tools: [],
    auth: { type: 'key', place: { in: 'header', name: 'Authorization', scheme: 'Bearer' } },
    api: { baseUrl: `${api}/`, headers: {} },
  });
  // Texts by language are for people; the model reads English. Fails when only one of them is kept.
  const title = { ar: 'العملاء', en: 'Customers' };
  expect(key({ name: 'crm', api, title })).toMatchObject({ title: 'Customers', shown: { title } });
  expect(key({ name: 'crm', api, header: 'X-Api-Key' }).auth).toMatchObject({
    place: { in: 'header', name: 'X-Api-Key' },
  });
  expect(key({ name: 'crm', api, query: 'key', probe: 'me' }).auth).toEqual({
    type: 'key',
    place: { in: 'query', name: 'key' },
    probe: { path: 'me', method: 'GET' },
  });
  expect(mcp({ name: 'notes', url })).toMatchObject({
    kind: 'mcp',
    auth: { type: 'none' },
    server: { url, isReadOnlyTrusted: false, risks: {} },
  });
  expect(mcp({ name: 'notes', url, auth: 'oauth' }).auth).toEqual({
    type: 'oauth',
    scopes: [],
    authorizationParameters: {},
  });
  expect(oauth({ name: 'mail', issuer: 'https://login.example.com', api, scopes: ['mail.read'] }).auth).toMatchObject({
    type: 'oauth',
    issuer: 'https://login.example.com',
    scopes: ['mail.read'],
  });
});

const wrongKey: [Partial<KeyOptions>, string][] = [
  [{ name: 'CRM' }, 'key("CRM"): name must be'],
  [{ name: '' }, 'name must be'],
  [{ name: 'a'.repeat(33) }, 'name must be'],
  [{ name: 'a__b' }, 'name must be'],
  [{ title: ' ' }, 'key("crm"): title must be'],
  [{ title: {} }, 'title must be'],
  [{ description: { en: 1 } as never }, 'description must be'],
  [{ icon: 'javascript:alert(1)' }, 'icon must be'],
  [{ scope: 'all' as never }, 'scope must be'],
  [{ api: undefined as never }, 'api is missing'],
  [{ api: 'api.example.com' }, 'api must be a URL'],
  [{ api: 'ftp://api.example.com' }, 'api must be a URL'],
  [{ api: 'https://a:b@api.example.com' }, 'api must not contain a user name or password'],
  [{ api: 'https://api.example.com?x=1' }, 'api must not have a query'],
  [{ api: { baseUrl: api, headers: { 'a b': 'x' } } }, 'api.headers must be'],
  [{ header: 'X Key' }, 'header must be'],
  [{ header: 'Cookie' }, 'header must be'],
  [{ header: 'Host' }, 'header must be'],
  [{ scheme: 'Two words' }, 'scheme must be'],
  [{ query: 'key', scheme: 'Bearer' }, 'query must be'],
  [{ endpoint: { hosts: [] } }, 'endpoint.hosts must name'],
  [{ endpoint: { hosts: ['*'] } }, 'endpoint.hosts has "*"'],
  [{ endpoint: { hosts: ['.com'] } }, 'endpoint.hosts has ".com"'],
  [{ endpoint: { hosts: ['example.com/path'] } }, 'endpoint.hosts has'],
  [{ endpoint: { hosts: ['a@example.com'] } }, 'endpoint.hosts has'],
  [{ endpoint: { hosts: [''] } }, 'endpoint.hosts has'],
  [{ probe: '/me' }, 'probe must be'],
  [{ probe: 'https://evil.example' }, 'probe must be'],
  [{ probe: '../x' }, 'probe must be'],
  [{ probe: { path: 'me', method: 'DELETE' as never } }, 'probe.method must be'],
];
test.each(wrongKey)('key({ %j }) is refused at start', (options, message) => {
  expect(() => key({ name: 'crm', api, ...options })).toThrow(message);
});

const wrongOAuth: [Partial<OAuthOptions>, string][] = [
  [{ issuer: undefined as never }, 'oauth("mail"): issuer is missing'],
  [{ issuer: 'javascript:alert(1)' }, 'issuer must be a URL'],
  [{ authorizationUrl: 'https://x.example/a' }, 'authorizationUrl and tokenUrl go together'],
  [{ authorizationUrl: 'https://x.example/a', tokenUrl: 'https://x.example/t' }, 'clientId is missing'],
  [{ clientId: '' }, 'clientId is empty'],
  [{ clientSecret: 'x' }, 'clientId is required with clientSecret'],
  [{ clientId: 'x', clientSecret: '' }, 'clientSecret is empty'],
  [{ scopes: ['a b'] }, 'scopes must be'],
  [{ scopes: 'read' as never }, 'scopes must be'],
  [{ clientAuthentication: 'jwt' as never }, 'clientAuthentication must be'],
  [{ authorizationParameters: { state: 'x' } }, 'authorizationParameters must not have state'],
  [{ api: undefined as never }, 'api is missing'],
];
test.each(wrongOAuth)('oauth({ %j }) is refused at start', (options, message) => {
  expect(() => oauth({ name: 'mail', issuer: 'https://login.example.com', api, ...options })).toThrow(message);
});

const wrongMcp: [Partial<McpOptions>, string][] = [
  [{ url: undefined as never }, 'mcp("notes"): url must be a URL'],
  [{ url: 'file:///etc/passwd' }, 'url must be a URL'],
  [{ url: 'https://mcp.example.com/#x' }, 'url must not have a fragment'],
  [{ auth: 'basic' as never }, 'auth must be'],
  [{ auth: { type: 'key', probe: 'me' } }, 'auth.probe is only for key()'],
  [{ risks: { x: 'harmless' as never } }, 'risks.x must be'],
];
test.each(wrongMcp)('mcp({ %j }) is refused at start', (options, message) => {
  expect(() => mcp({ name: 'notes', url, ...options })).toThrow(message);
});

test('an agent’s connectors have unique names', () => {
  const of = (connectors: readonly Connector[]) => defineAgent({ name: 'x', handler: () => [], connectors });
  const crm = key({ name: 'crm', api });
  expect(() => of([crm, key({ name: 'crm', api })])).toThrow('two connectors are named "crm"');
  expect(() => of(crm as never)).toThrow('connectors must be a list');
  expect(() => of([{ name: 'crm' } as never])).toThrow('connectors must be a list');
});

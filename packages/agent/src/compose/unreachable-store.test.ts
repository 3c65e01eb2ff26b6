import { readFileSync } from 'node:fs';
import path from 'node:path';
import { key } from '@berth/agent-connectors';
import { findPostgres, NO_POSTGRES, startPostgres } from '@berth/postgres/testing';
import { waitUntil } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);

const DOCUMENT = path.join(import.meta.dirname, '../../../../docs/openapi-agent.json');
const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
const METHODS = new Set(['get', 'put', 'post', 'patch', 'delete', 'options']);
const OPERATIONS = Object.entries(paths).flatMap(([template, item]) =>
  Object.keys(item).flatMap((method) => (METHODS.has(method) ? [`${method.toUpperCase()} ${template}`] : [])),
);

const MESSAGES = { messages: [{ role: 'user', content: 'hello' }] };
/** Bodies with which a request gets as far as the store. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /': MESSAGES,
  'POST /chat': MESSAGES,
  'POST /chat/completions': { model: 'any', stream: false, ...MESSAGES },
  'PUT /chats/{id}': { title: 'x' },
  'POST /chats/{id}/continue': {},
  'PUT /chats/{id}/messages/{seq}/feedback': { rating: 'up' },
  'POST /chats/{id}/approvals/{key}': { decision: 'approve' },
  'PUT /apps/{slug}/data/{key}': { a: 1 },
  'PATCH /connectors/{name}': { on: false },
  'PUT /connectors/{name}/key': { key: 'k', scope: 'user' },
  'PUT /connectors/{name}/tools/{tool}': { mode: 'ask' },
  'PATCH /files/{path}': { to: 'other.txt' },
  'PUT /tools/{tool}': { mode: 'ask' },
  'POST /share': { path: 'chat/c1' },
  'POST /workspaces': { name: 'Team' },
  'PATCH /workspaces/{id}': { name: 'Team' },
  'PUT /workspaces/{id}/members/{user_id}': { role: 'editor' },
};

/** Operations that can't be answered without the store; files, pages and metadata can. */
const OF_STATE =
  / \/(?:chat|chats|apps|share|tools|trash|workspaces?|connectors)(?:$|\/(?!completions|.*\/(?:callback|client\.json)))/;

const VALUES: Readonly<Record<string, string>> = {
  name: 'crm',
  user_id: 'bob',
  path: 'notes.txt',
  user: 'alice',
  seq: '1',
};
const fill = (template: string) =>
  template
    .replace('/workspaces/{id}', '/workspaces/t-1')
    .replaceAll(/\{(\w+)\}/g, (_match, parameter: string) => VALUES[parameter] ?? `${parameter}1`);

describe.skipIf(!programs)(programs ? 'while Postgres is down' : `an unreachable store: ${NO_POSTGRES}`, () => {
  // Fails when the driver's error is passed on as it is, or a broken connection is used again.
  test('routes answer 503 with Retry-After, none 500, and all work again without a restart', async () => {
    const server = await startPostgres(programs as string);
    await using agent = await openTestAgent({
      databaseUrl: server.url,
      workspaces: 'member',
      connectors: [key({ name: 'crm', title: 'CRM', scope: 'user', api: 'https://crm.example' })],
    });
    const call = (operation: string) => {
      const [method = '', template = ''] = operation.split(' ');
      return agent.call('alice.acme.admin', method, fill(template), BODIES[operation]);
    };
    const statuses = async () => {
      const found: Record<string, number> = {};
      for (const operation of OPERATIONS) {
        const response = await call(operation);
        await response.body?.cancel();
        found[operation] = response.status;
        if (response.status === 503) expect([operation, response.headers.get('retry-after')]).toEqual([operation, '5']);
      }
      return found;
    };
    try {
      expect((await call('POST /chat')).status).toBe(200);
      await server.stop();
      const during = await statuses();
      const unexpected = Object.entries(during).filter(([operation, status]) =>
        OF_STATE.test(operation) ? status !== 503 : status >= 500 && status !== 503,
      );
      expect(unexpected).toEqual([]);
      await server.start();
      await waitUntil('the agent answers again', async () => (await call('GET /chats')).status === 200);
      const after = await statuses();
      expect(Object.entries(after).filter(([, status]) => status >= 500)).toEqual([]);
    } finally {
      await server.close();
    }
  }, 180_000);
});

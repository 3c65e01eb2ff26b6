import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createAccount, createKey } from '../harness/accounts.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();
const name = uniqueName('theirs');

/** An operation of the live OpenAPI document, with the values of the first account filled in. */
interface Operation {
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly body?: BodyInit;
  readonly type?: string;
  /** It names something of the first account, rather than asking for what the caller has. */
  readonly namesResource: boolean;
}

interface OpenApiOperation {
  readonly security?: unknown[];
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Record<string, unknown>;
}

let operations: readonly Operation[] = [];
let deployId = '';
let otherKey = '';
const SECRETS: Record<string, string> = {};

beforeAll(async () => {
  deployId = (await deployed(berth, name, { files: greeter('theirs') })).deployId;
  await berth.post('/v1/env/set', { deployment_name: name, set: { CANARY: 'canary-value' } });
  otherKey = (await createAccount(berth, uniqueName('other'))).key;
  const expiresAt = new Date(Date.now() + 400);
  SECRETS['expired'] = (await createKey(berth, { scopes: ['admin'], expiresAt })).secret;
  SECRETS['read-only'] = (await createKey(berth, { scopes: ['read'] })).secret;
  operations = await readOperations();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, expiresAt.getTime() - Date.now()) + 50));
});

/** The value of a field or parameter that points at what the first account owns. */
function valueFor(field: string): string | undefined {
  if (/^(name|function_name|deployment_name)$/.test(field)) return name;
  if (/deploy_?id/i.test(field)) return deployId;
  return undefined;
}

async function readOperations(): Promise<Operation[]> {
  const document = (await (await berth.api('/openapi.json')).json()) as {
    paths: Record<string, Record<string, OpenApiOperation>>;
    components: { schemas: Record<string, Schema> };
  };
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema) : schema;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => (operation.security?.length ?? 0) > 0)
      .map(([method, operation]) => {
        let namesResource = false;
        const fill = (field: string): string | undefined => {
          const value = valueFor(field);
          if (value !== undefined) namesResource = true;
          return value;
        };
        const route = path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => fill(field) ?? 'unknown');
        const query = (operation.parameters ?? []).flatMap((parameter) => {
          const value = parameter.in === 'query' ? fill(parameter.name) : undefined;
          return value === undefined ? [] : [`${parameter.name}=${value}`];
        });
        const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
        const fields = Object.keys(content ? (resolve(content.schema).properties ?? {}) : {}).flatMap((field) => {
          const value = fill(field);
          return value === undefined ? [] : [[field, value] as const];
        });
        return {
          id: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          route: query.length > 0 ? `${route}?${query.join('&')}` : route,
          namesResource,
          ...(type ? bodyOf(type, Object.fromEntries(fields)) : {}),
        };
      }),
  );
}

function bodyOf(type: string, fields: Record<string, string>): Pick<Operation, 'body' | 'type'> {
  if (type === 'application/json') return { type, body: JSON.stringify({ ...fields, set: { STOLEN: '1' } }) };
  const form = new FormData();
  for (const [field, value] of Object.entries({ ...fields, volumes: '{}' })) form.set(field, value);
  form.set('source_archive.0', new Blob(['x']), 'x.tar.gz');
  return { body: form };
}

function send(operation: Operation, headers: Record<string, string>): Promise<Response> {
  return fetch(`${berth.url}${operation.route}`, {
    method: operation.method,
    headers: { ...headers, ...(operation.type ? { 'Content-Type': operation.type } : {}) },
    ...(operation.body ? { body: operation.body } : {}),
  });
}

/** What the first account has, to be compared before and after. */
async function inventory(): Promise<unknown> {
  const read = async (route: string) => (await berth.api(route)).json();
  const [list, detail, environment] = await Promise.all([
    read('/v1/deployment/list'),
    read(`/v1/deployment/${name}`),
    read(`/v1/env/list?name=${name}`),
  ]);
  return { list, detail, environment, answer: (await request(berth, name)).text };
}

describe('every operation of the OpenAPI document', () => {
  it('was read, and half of them name a resource', () => {
    console.log(
      `tenancy: ${operations.length} operations, ${operations.filter((one) => one.namesResource).length} name a resource`,
    );
    expect(operations.length).toBeGreaterThan(15);
    expect(operations.filter((one) => one.namesResource).length).toBeGreaterThan(8);
  });

  it.each([
    ['no credential', () => ({})],
    ['a wrong key', () => ({ 'X-API-Key': 'berth_wrong_wrong_wrong_wrong_wrong' })],
    ['an expired key', () => ({ 'X-API-Key': SECRETS['expired'] as string })],
    ['a wrong bearer', () => ({ Authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.' })],
  ] as [string, () => Record<string, string>][])('is 401 with %s', async (_title, headers) => {
    verifies('auth.api-key', 'auth.bearer', 'auth.challenge');
    for (const operation of operations) {
      const answer = await send(operation, headers());
      expect([operation.id, answer.status, answer.headers.get('www-authenticate')]).toEqual([
        operation.id,
        401,
        'Bearer',
      ]);
    }
  });

  it('that names another account’s resource is refused, and changes nothing', async () => {
    verifies('error.403');
    const before = await inventory();
    for (const operation of operations.filter((one) => one.namesResource)) {
      const answer = await send(operation, { 'X-API-Key': otherKey });
      const text = await answer.text();
      expect([operation.id, text.includes('canary-value'), text.includes(deployId)]).toEqual([
        operation.id,
        false,
        false,
      ]);
      // check-name is the one route that speaks of other accounts' names.
      if (operation.route.includes('check-name')) expect(JSON.parse(text)).toMatchObject({ available: false });
      else
        expect([operation.id, answer.status]).toEqual([
          operation.id,
          expect.toSatisfy((code) => code === 403 || code === 404),
        ]);
    }
    expect(await inventory()).toEqual(before);
  });

  it('that lists shows another account nothing of the first', async () => {
    for (const operation of operations.filter((one) => one.method === 'GET' && !one.namesResource)) {
      const text = await (await send(operation, { 'X-API-Key': otherKey })).text();
      expect([operation.id, text.includes(name), text.includes(deployId)]).toEqual([operation.id, false, false]);
    }
  });

  it('that changes something is 403 with a key that may only read', async () => {
    const before = await inventory();
    const headers = { 'X-API-Key': SECRETS['read-only'] as string };
    for (const operation of operations.filter((one) => one.method !== 'GET')) {
      const answer = await send(operation, headers);
      expect([operation.id, answer.status]).toEqual([operation.id, 403]);
    }
    expect(await inventory()).toEqual(before);
  });

  it('answers a name of another account as the contract says: 403, and 404 when nobody has it', async () => {
    verifies('error.403', 'error.404');
    const headers = { 'X-API-Key': otherKey };
    for (const [route, field] of [
      ['/v1/deployment/logs', 'deployment_name'],
      ['/v1/deployment/delete', 'name'],
      ['/v1/deployment/rollback', 'name'],
    ] as const) {
      expect([route, (await berth.post(route, { [field]: name }, headers)).status]).toEqual([route, 403]);
      expect([route, (await berth.post(route, { [field]: 'nobody-has-this' }, headers)).status]).toEqual([route, 404]);
    }
    expect((await berth.api(`/v1/deployment/${name}`, { headers })).status).toBe(403);
  });
});

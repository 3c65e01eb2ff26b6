import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createAccount, createKey } from '../harness/accounts.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { type Operation, readOperations, sendOperation } from '../harness/open-api.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();
const name = uniqueName('theirs');

/** What the first account owns, under the names that operations have for it. */
const owned: Record<string, unknown> = { name, function_name: name, deployment_name: name, volume: name, path: 'x' };
/** What else an operation needs to go through, had the caller the right. */
const harmful = {
  volumes: '{}',
  'source_archive.0': new Blob(['x']),
  set: { STOLEN: '1' },
  scopes: ['read'],
  domain: 'shop.example.com',
  // Of a repository.
  url: 'https://github.com/me/app',
  branch: 'stolen',
  // Of a connection to an instance.
  port: 8080,
  // Of an alert on a deployment.
  title: 'x',
  condition: { type: 'deploy_failed' },
  since: '2026-01-01T00:00:00Z',
  // Of a span of time, and of an object that is moved: a time is a path as well.
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-01T01:00:00Z',
};

let operations: readonly Operation[] = [];
let deployId = '';
const keys = { other: '', expired: '', readOnly: '' };

beforeAll(async () => {
  deployId = (await deployed(berth, name, { files: greeter('theirs') })).deployId;
  owned['deploy_id'] = deployId;
  const set = await berth.post('/v1/env/set', { deployment_name: name, set: { CANARY: 'canary-value' } });
  await set.text();
  const expiresAt = new Date(Date.now() + 400);
  keys.expired = (await createKey(berth, { scopes: ['admin'], expiresAt })).secret;
  keys.readOnly = (await createKey(berth, { scopes: ['read'] })).secret;
  keys.other = (await createAccount(berth, uniqueName('other'))).key;
  await berth.post('/v1/volume/create', { name });
  operations = (await readOperations(berth)).filter((operation) => operation.needsCredential);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, expiresAt.getTime() - Date.now()) + 50));
});

/** Whether the operation names something of an account, rather than asking for what the caller has. */
function namesResource({ id, pathParameters, queryParameters, bodyFields }: Operation): boolean {
  // These make something new, and `name` is the caller's to choose.
  if (['POST /v1/user/keys', 'POST /v1/admin/accounts', 'POST /v1/volume/create'].includes(id)) return false;
  return [...pathParameters, ...queryParameters, ...bodyFields].some((field) => field in owned);
}

const isReading = ({ method, path }: Operation) => method === 'GET' || path.endsWith('/list');

const send = (operation: Operation, headers: Record<string, string>) =>
  sendOperation(berth, operation, { ...harmful, ...owned }, headers);

/** What the first account has, to be compared before and after. */
async function inventory(): Promise<unknown> {
  const routes = ['/v1/volume/list', '/v1/deployment/list', `/v1/deployment/${name}`, `/v1/env/list?name=${name}`];
  const answers = await Promise.all(routes.map(async (route) => (await berth.api(route)).json()));
  return [...answers, (await request(berth, name)).text];
}

describe('every operation of the OpenAPI document', () => {
  it('was read, and many of them name a resource', () => {
    const naming = operations.filter(namesResource);
    console.log(`tenancy: ${operations.length} operations, of which ${naming.length} name a resource`);
    expect(operations.length).toBeGreaterThan(15);
    expect(naming.length).toBeGreaterThan(8);
  });

  it.each([
    ['no credential', () => ({})],
    ['a wrong key', () => ({ 'X-API-Key': 'berth_wrong_wrong_wrong_wrong_wrong' })],
    ['an expired key', () => ({ 'X-API-Key': keys.expired })],
    ['a wrong bearer', () => ({ Authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.' })],
  ] as [string, () => Record<string, string>][])('is 401 with %s', async (_title, headers) => {
    verifies('auth.api-key', 'auth.bearer', 'auth.challenge');
    for (const operation of operations) {
      const answer = await send(operation, headers());
      const challenge = answer.headers.get('www-authenticate');
      expect([operation.id, answer.status, challenge]).toEqual([operation.id, 401, 'Bearer']);
    }
  });

  it('that names another account’s resource is refused, and changes nothing', async () => {
    verifies('error.403');
    const before = await inventory();
    for (const operation of operations.filter(namesResource)) {
      const answer = await send(operation, { 'X-API-Key': keys.other });
      const text = await answer.text();
      expect([operation.id, text.includes('canary-value'), text.includes(deployId)]).toEqual([
        operation.id,
        false,
        false,
      ]);
      // It is the one route that speaks of other accounts' names.
      if (operation.path.endsWith('/check-name')) expect(JSON.parse(text)).toMatchObject({ available: false });
      else expect([operation.id, [403, 404].includes(answer.status)]).toEqual([operation.id, true]);
    }
    expect(await inventory()).toEqual(before);
  });

  it('that lists shows another account nothing of the first', async () => {
    for (const operation of operations.filter((one) => isReading(one) && !namesResource(one))) {
      const text = await (await send(operation, { 'X-API-Key': keys.other })).text();
      expect([operation.id, text.includes(name), text.includes(deployId)]).toEqual([operation.id, false, false]);
    }
  });

  it('that changes something is 403 with a key that may only read', async () => {
    const before = await inventory();
    // A listing that also takes its filter as a body.
    const changes = operations.filter(({ method, id }) => method !== 'GET' && id !== 'POST /v1/domain/list');
    for (const operation of changes) {
      const answer = await send(operation, { 'X-API-Key': keys.readOnly });
      expect([operation.id, answer.status]).toEqual([operation.id, 403]);
    }
    expect(await inventory()).toEqual(before);
  });

  it('answers a name of another account with 403, and one that nobody has with 404', async () => {
    verifies('error.403', 'error.404');
    const headers = { 'X-API-Key': keys.other };
    for (const [route, field] of [
      ['/v1/deployment/logs', 'deployment_name'],
      ['/v1/deployment/delete', 'name'],
      ['/v1/deployment/rollback', 'name'],
      ['/v1/deployment/redeploy', 'name'],
    ] as const) {
      expect([route, (await berth.post(route, { [field]: name }, headers)).status]).toEqual([route, 403]);
      expect([route, (await berth.post(route, { [field]: 'nobody-has-this' }, headers)).status]).toEqual([route, 404]);
    }
    expect((await berth.api(`/v1/deployment/${name}`, { headers })).status).toBe(403);
  });
});

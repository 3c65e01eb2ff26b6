import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

describe('every answer', () => {
  it('carries a request id, a new one each time', async () => {
    verifies('request-id');
    const routes = ['/v1/deployment/list', '/v1/nowhere', '/healthz', '/openapi.json', '/v1/deployment/check-name'];
    const answers = await Promise.all(routes.map((route) => berth.api(route)));
    const ids = answers.map((answer) => answer.headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(routes.length);
    expect(ids).not.toContain(null);
  });

  it('is an error object for a route that does not exist, and for a method that a route does not take', async () => {
    verifies('error.string-detail', 'error.404');
    await expectError(await berth.api('/v1/nowhere'), 404);
    await expectError(await berth.api('/v1/deployment/nobody-has-this'), 404);
    const wrongMethod = await berth.api('/v1/deployment/list', { method: 'DELETE' });
    await expectError(wrongMethod, 405);
  });
});

describe('a JSON body', () => {
  const logs = '/v1/deployment/logs';

  it('of another type is 415', async () => {
    verifies('error.415');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
      const headers = { 'Content-Type': type };
      await expectError(await berth.api(logs, { method: 'POST', headers, body: '{"deployment_name":"x"}' }), 415);
    }
    await expectError(await berth.post('/v1/deploy', { function_name: 'x' }), 415);
  });

  it('over its cap is 413', async () => {
    verifies('error.413');
    await expectError(await berth.post(logs, { deployment_name: 'x', query: 'a'.repeat(2_000_000) }), 413);
  });

  it('that is not JSON, not UTF-8 or no object is 422 at the body', async () => {
    verifies('error.validation-detail', 'error.loc', 'error.type');
    const headers = { 'Content-Type': 'application/json' };
    for (const body of ['{', '', '[]', '"text"', 'null', new Uint8Array([0x22, 0xff, 0x22])]) {
      const issues = await expectIssues(await berth.api(logs, { method: 'POST', headers, body }));
      expect(issues[0]?.loc[0]).toBe('body');
    }
  });

  it('lists every wrong field, and ignores unknown ones', async () => {
    verifies('error.all-fields', 'fields.unknown-body', 'fields.unknown-query', 'json.snake-case');
    const issues = await expectIssues(await berth.post(logs, { limit: 0, since: 'yesterday', colour: 'red' }));
    expect(placesOf(issues)).toEqual(['body.deployment_name', 'body.limit', 'body.since']);
    await expectError(await berth.post(logs, { deployment_name: 'nobody-has-this', colour: 'red' }), 404);
    expect((await berth.api('/v1/deployment/check-name?name=free&colour=red')).status).toBe(200);
  });
});

describe('health', () => {
  it('is told without a credential', async () => {
    verifies('health.live', 'health.ready');
    for (const route of ['/healthz', '/readyz']) {
      expect((await fetch(`${berth.url}${route}`)).status).toBe(200);
    }
  });

  it('keeps its metrics off the public listener', async () => {
    verifies('health.metrics-private');
    expect((await fetch(`${berth.url}/metrics`)).status).toBe(404);
  });
});

describe('the OpenAPI document', () => {
  interface Document {
    readonly openapi: string;
    readonly info: { readonly version: string };
    readonly paths: Record<
      string,
      Record<string, { responses: Record<string, unknown>; security?: Record<string, string[]>[] }>
    >;
    readonly components: { readonly securitySchemes: Record<string, Record<string, string>> };
  }
  const read = async () => (await (await fetch(`${berth.url}/openapi.json`)).json()) as Document;

  it('is OpenAPI 3.1 of version 1.0.0 with both security schemes', async () => {
    verifies('openapi.version', 'openapi.security');
    const document = await read();
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe('1.0.0');
    expect(document.components.securitySchemes).toMatchObject({
      APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      HTTPBearer: { type: 'http', scheme: 'bearer' },
    });
  });

  it('holds every route of the contract with the statuses it can answer', async () => {
    verifies('openapi.routes');
    const { paths } = await read();
    const operations = Object.entries(paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    expect(operations).toEqual(expect.arrayContaining(CONTRACT_ROUTES));
    for (const [route, methods] of Object.entries(paths).filter(([route]) => route.startsWith('/v1/'))) {
      for (const [method, { responses, security }] of Object.entries(methods)) {
        if (route.startsWith('/v1/auth/') || route.startsWith('/v1/hooks/')) continue;
        expect([route, method, Object.keys(responses)]).toEqual([
          route,
          method,
          expect.arrayContaining(['401', '403']),
        ]);
        // What concerns a person takes no key.
        const isOfPerson = security?.[0]?.['HTTPBearer']?.[0] === 'session';
        expect([route, security?.length]).toEqual([route, isOfPerson ? 1 : 2]);
      }
    }
    expect(Object.keys(paths['/v1/deployment/logs']?.['post']?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '401', '403', '404', '413', '415', '422', '503']),
    );
  });
});

const CONTRACT_ROUTES = [
  'POST /v1/deploy',
  'GET /v1/deploys/{deploy_id}/events',
  'POST /v1/deploys/{deploy_id}/cancel',
  'GET /v1/deployment/check-name',
  'GET /v1/deployment/list',
  'GET /v1/deployment/{name}',
  'POST /v1/deployment/delete',
  'POST /v1/deployment/rollback',
  'POST /v1/deployment/logs',
  'POST /v1/env/set',
  'GET /v1/env/list',
];

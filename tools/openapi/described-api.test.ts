import { expect, test } from 'vitest';
import { buildAgentDocument } from './build-agent-document.ts';
import { buildDocument } from './build-document.ts';
import { undocumentedRoutes } from './described-api.ts';

// Fails when any route is registered with `api.get` in place of `registerStream`: `/openapi.json`, `/public/{path}`.
test.each([
  ['the control plane', buildDocument],
  ['an agent', buildAgentDocument],
])('every route that %s serves is in its document', async (_name, build) => {
  const api = await build();
  expect(api.routes.length).toBeGreaterThan(50);
  expect(undocumentedRoutes(api)).toEqual([]);
});

// Fails when undocumentedRoutes compares paths without their methods.
test('a route that is served but not described is named', () => {
  const document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: { '/a/{path}': { get: {} } } };
  const routes = [
    { method: 'GET', path: '/a/:path{.+}' },
    { method: 'PUT', path: '/a/:path{.+}' },
    { method: 'GET', path: '/b' },
  ];
  expect(undocumentedRoutes({ document, routes })).toEqual(['PUT /a/{path}', 'GET /b']);
});

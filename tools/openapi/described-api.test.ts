import { expect, test } from 'vitest';
import { buildAgentDocument } from './build-agent-document.ts';
import { buildDocument } from './build-document.ts';
import { operationsOf, referredComponents, undocumentedRoutes } from './described-api.ts';

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

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly required?: readonly string[];
}

// Fails when a field is declared as `roleSchema.nullable()`: the generator then declares every Role to be nullable.
// Fails when a deployment's health is declared by the schema of requests, whose fields have defaults.
test.each([
  ['the control plane', buildDocument],
  ['an agent', buildAgentDocument],
])('components of %s are exact enough for types', async (_name, build) => {
  const { document } = await build();
  const components = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const nullable = Object.keys(components).filter((name) => [components[name]?.type].flat().includes('null'));
  expect(nullable).toEqual([]);
  const responses = operationsOf(document).map((operation) => operation.responses);
  const answered = [...referredComponents(responses, document)];
  expect(answered.length).toBeGreaterThan(20);
  const optional = answered.flatMap((name) => {
    const { properties = {}, required = [] } = components[name] ?? {};
    return Object.keys(properties)
      .filter((key) => properties[key]?.default !== undefined && !required.includes(key))
      .map((key) => `${name}.${key}`);
  });
  expect(optional).toEqual([]);
});

import { type AgentApp, type AgentAppContext, type RouteGuard, routesOf } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { createError, createValidationError } from '@berth/contract';
import {
  AGENT_LIMITS,
  appKeyParamsSchema,
  appKeyProblem,
  appRowsSchema,
  appSlugSchema,
  appValueSchema,
  appWhoSchema,
  appWrittenSchema,
  listAppDataQuerySchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { listAppRows } from './list-app-rows.ts';
import { parseOneWho, parseWho, type WhoAsks } from './parse-who.ts';

// Keys may contain slashes.
const KEY_PATH = '/apps/{slug}/data/{key{.+}}';
const whoQuery = z.object({ who: appWhoSchema });
const versionQuery = whoQuery.extend({
  version: z
    .union([z.literal(''), z.coerce.number().int().min(0)])
    .optional()
    .openapi({ description: 'Write only over this version; empty: only when there is no row' }),
});

/** Dependencies of {@link registerAppDataRoutes}. */
export interface AppDataRouteDeps extends RouteGuard {
  readonly stores: Pick<AgentStores, 'appData'>;
}

/** Registers the routes for the rows that apps of a workspace store. Source: docs/contract/agent-api.md §9. */
export function registerAppDataRoutes(app: AgentApp, deps: AppDataRouteDeps): void {
  const route = routesOf(app, deps, 'App data');
  const { appData } = deps.stores;

  route('GET /apps/{slug}/data', 'listAppData', {
    access: 'user',
    errors: ['forbidden'],
    summary: 'Rows of an app, in the order of their keys',
    request: { params: z.object({ slug: appSlugSchema }), query: listAppDataQuerySchema },
    responses: { 200: jsonResponse(appRowsSchema, 'A page of rows') },
  }).handle(async (c) => {
    const { who: asked, prefix, limit, cursor } = c.req.valid('query');
    const who = parseWho(asked, asksOf(c));
    const { slug } = c.req.valid('param');
    const page = await listAppRows(appData, { owner: c.get('workspace').key, slug, who, prefix, limit, cursor });
    const rows = page.rows.map((row) => ({
      key: row.key,
      value: JSON.parse(row.value) as unknown,
      version: row.version,
      ...(who === undefined ? { who: row.who } : {}),
    }));
    return c.json({ rows, truncated: page.next !== undefined, cursor: page.next ?? null }, 200);
  });

  route(`GET ${KEY_PATH}`, 'getAppData', {
    access: 'user',
    errors: ['forbidden', 'not_found'],
    summary: 'One row',
    request: { params: appKeyParamsSchema, query: whoQuery },
    responses: { 200: jsonResponse(appValueSchema, 'Its value and version') },
  }).handle(async (c) => {
    const { slug, key } = c.req.valid('param');
    const who = parseOneWho(c.req.valid('query').who, asksOf(c));
    const row = await appData.find({ owner: c.get('workspace').key, slug, who }, key);
    if (!row) throw createError('not_found', `There is no row ${key.slice(0, 200)}.`);
    return c.json({ value: JSON.parse(row.value) as unknown, version: row.version }, 200);
  });

  route(`PUT ${KEY_PATH}`, 'putAppData', {
    access: 'user',
    errors: ['forbidden', 'precondition_failed'],
    bodyBytes: AGENT_LIMITS.appRowBytes,
    summary: 'Write one row',
    request: { params: appKeyParamsSchema, query: versionQuery, body: jsonBody(z.unknown()) },
    responses: { 200: jsonResponse(appWrittenSchema, 'Written, and durable') },
  }).handle(async (c) => {
    const { slug, key } = c.req.valid('param');
    const { who: asked, version } = c.req.valid('query');
    const who = parseOneWho(asked, asksOf(c));
    const expected = version === '' ? 0 : version;
    const value = JSON.stringify(c.req.valid('json'));
    const row = await appData.put({ owner: c.get('workspace').key, slug, who }, key, value, expected);
    if (!row) throw createError('precondition_failed', conflictMessage(key, expected));
    return c.json({ ok: true as const, version: row.version }, 200);
  });

  route(`DELETE ${KEY_PATH}`, 'deleteAppData', {
    access: 'user',
    errors: ['forbidden'],
    summary: 'Remove one row; with a trailing / all below it',
    request: { params: z.object({ slug: appSlugSchema, key: z.string() }), query: whoQuery },
    responses: { 200: jsonResponse(z.object({ ok: z.literal(true), removed: z.int() }), 'Also when there was none') },
  }).handle(async (c) => {
    const { slug, key } = c.req.valid('param');
    const problem = appKeyProblem(key, true);
    if (problem) throw createValidationError([{ loc: ['path', 'key'], msg: problem, type: 'key_invalid' }]);
    const who = parseOneWho(c.req.valid('query').who, asksOf(c));
    const removed = await appData.remove({ owner: c.get('workspace').key, slug, who }, key);
    return c.json({ ok: true as const, removed }, 200);
  });
}

function asksOf(c: AgentAppContext): WhoAsks {
  return { user: c.get('user')!, workspace: c.get('workspace') };
}

function conflictMessage(key: string, expected: number | undefined): string {
  const shown = key.slice(0, 200);
  return expected === 0
    ? `There is a row ${shown} already: read it, and write over its version.`
    : `The row ${shown} is not at version ${expected} any more: read it again, and write over what you find.`;
}

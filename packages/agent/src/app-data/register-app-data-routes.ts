import { type AgentApp, type AgentAppContext, type RouteGuard, routesOf } from '@berth/agent-core';
import type { AgentStores, AppDataStore, AppRow, OwnerKey } from '@berth/agent-store';
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

// Keys may contain slashes.
const KEY_PATH = '/apps/{slug}/data/{key{.+}}';
const whoQuery = z.object({ who: appWhoSchema });
const versionQuery = whoQuery.extend({
  version: z
    .union([z.literal(''), z.coerce.number().int().min(0)])
    .optional()
    .openapi({ description: 'Write only if the row has this version; empty: only if there is no row' }),
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
    summary: 'List rows of an app by key',
    request: { params: z.object({ slug: appSlugSchema }), query: listAppDataQuerySchema },
    responses: { 200: jsonResponse(appRowsSchema, 'A page of rows') },
  }).handle(async (c) => {
    const { who: asked, prefix, limit, cursor } = c.req.valid('query');
    const who = parseWho(asked, c);
    const { slug } = c.req.valid('param');
    const place = { owner: c.get('workspace').key, slug, who };
    const page = await listRows(appData, place, { prefix, limit, cursor });
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
    errors: ['bad_request', 'forbidden', 'not_found'],
    summary: 'Get a row',
    request: { params: appKeyParamsSchema, query: whoQuery },
    responses: { 200: jsonResponse(appValueSchema, 'The value and version') },
  }).handle(async (c) => {
    const { slug, key } = c.req.valid('param');
    refuseReserved(key);
    const who = parseOneWho(c.req.valid('query').who, c);
    const row = await appData.find({ owner: c.get('workspace').key, slug, who }, key);
    if (!row) throw createError('not_found', `There is no row ${key.slice(0, 200)}.`);
    return c.json({ value: JSON.parse(row.value) as unknown, version: row.version }, 200);
  });

  route(`PUT ${KEY_PATH}`, 'putAppData', {
    access: 'user',
    errors: ['bad_request', 'forbidden', 'precondition_failed'],
    bodyBytes: AGENT_LIMITS.appRowBytes,
    summary: 'Write a row',
    request: { params: appKeyParamsSchema, query: versionQuery, body: jsonBody(z.unknown()) },
    responses: { 200: jsonResponse(appWrittenSchema, 'The row is stored durably') },
  }).handle(async (c) => {
    const { slug, key } = c.req.valid('param');
    refuseReserved(key);
    const { who: asked, version } = c.req.valid('query');
    const who = parseOneWho(asked, c);
    const expected = version === '' ? 0 : version;
    const value = JSON.stringify(c.req.valid('json'));
    // A number such as 1e20 is longer as it is stored than as it was sent.
    if (Buffer.byteLength(value) > AGENT_LIMITS.appRowBytes) {
      throw createError('payload_too_large', `A row has at most ${AGENT_LIMITS.appRowBytes} bytes of JSON.`);
    }
    const row = await appData.put({ owner: c.get('workspace').key, slug, who }, key, value, expected);
    if (!row) throw createError('precondition_failed', conflictMessage(key, expected));
    return c.json({ ok: true as const, version: row.version }, 200);
  });

  route(`DELETE ${KEY_PATH}`, 'deleteAppData', {
    access: 'user',
    errors: ['bad_request', 'forbidden'],
    summary: 'Remove a row, or all rows below a key that ends in /',
    request: { params: z.object({ slug: appSlugSchema, key: z.string() }), query: whoQuery },
    responses: { 200: jsonResponse(z.object({ ok: z.literal(true), removed: z.int() }), 'Removed, or did not exist') },
  }).handle(async (c) => {
    const { slug, key } = c.req.valid('param');
    refuseReserved(key);
    const problem = appKeyProblem(key, true);
    if (problem) throw createValidationError([{ loc: ['path', 'key'], msg: problem, type: 'key_invalid' }]);
    const who = parseOneWho(c.req.valid('query').who, c);
    const removed = await appData.remove({ owner: c.get('workspace').key, slug, who }, key);
    return c.json({ ok: true as const, removed }, 200);
  });
}

/** @throws `bad_request` for a key that begins with `u/`: clients of this API name people's own rows that way. */
function refuseReserved(key: string): void {
  if (!key.startsWith('u/')) return;
  throw createError('bad_request', 'Keys that begin with "u/" are reserved. Use who=me for your own rows.');
}

function conflictMessage(key: string, expected: number | undefined): string {
  const shown = key.slice(0, 200);
  return expected === 0
    ? `A row ${shown} already exists. Read it and write with its version.`
    : `The row ${shown} is no longer at version ${expected}. Read it again and write with its new version.`;
}

/** Owner of the rows that a call addresses: '' for shared rows, a user id, or undefined for all users' own rows. */
type Who = string | undefined;

/**
 * Parses the query parameter `who` of a list. Source: docs/contract/agent-api.md §9.
 * @throws `forbidden` for another person's rows, unless the caller is an owner or admin of the team or, in a personal
 * workspace, an admin of the organization
 */
function parseWho(who: string | undefined, c: AgentAppContext): Who {
  const user = c.get('user')!;
  const { type, role } = c.get('workspace');
  if (who === undefined) return '';
  if (who === 'me' || who === user.id) return user.id;
  const isAdmin = type === 'team' ? role !== 'editor' : user.orgRole === 'admin';
  if (!isAdmin) throw createError('forbidden', "Only admins can see other people's rows. Use who=me.");
  return who === 'all' ? undefined : who;
}

/** Parses the query parameter `who` of a single row, as {@link parseWho} does. @throws `invalid` for `all` */
function parseOneWho(who: string | undefined, c: AgentAppContext): string {
  const parsed = parseWho(who, c);
  if (parsed !== undefined) return parsed;
  const msg = 'all is only for lists; name one person';
  throw createValidationError([{ loc: ['query', 'who'], msg, type: 'who_invalid' }]);
}

/** The number of rows read at once; 50 MB when all have the maximum size. */
const BATCH = 50;
/** The size of a page, which ends after the row that exceeds it. */
const PAGE_BYTES = 4 * 1_048_576;

type OwnedRow = AppRow & { readonly who: string };

/** Returns a page of rows, bounded by the number of rows and by bytes, and the cursor of the next page if there is one. */
async function listRows(
  store: AppDataStore,
  place: { readonly owner: OwnerKey; readonly slug: string; readonly who: Who },
  { prefix, limit, cursor }: { readonly prefix: string; readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ readonly rows: readonly OwnedRow[]; readonly next: string | undefined }> {
  const rows: OwnedRow[] = [];
  let after = parseCursor(cursor);
  for (let bytes = 0; ; ) {
    const wanted = Math.min(BATCH, limit + 1 - rows.length);
    const batch = await store.list(place, { prefix, ...(after && { after }), limit: wanted });
    for (const row of batch) {
      if (rows.length === limit || bytes >= PAGE_BYTES) return { rows, next: formatCursor(rows.at(-1), place.who) };
      rows.push(row);
      bytes += row.value.length;
    }
    const last = batch.at(-1);
    if (last === undefined || batch.length < wanted) return { rows, next: undefined };
    after = { key: last.key, who: last.who };
  }
}

/** Returns the last key, so clients can build a cursor themselves. For all users' rows, a NUL and the row's owner follow. */
function formatCursor(row: OwnedRow | undefined, who: Who): string | undefined {
  return row && who === undefined ? `${row.key}\0${row.who}` : row?.key;
}

function parseCursor(cursor: string | undefined): { readonly key: string; readonly who: string } | undefined {
  if (cursor === undefined) return undefined;
  const [key = '', who] = cursor.split('\0');
  // A cursor without an owner continues after all rows of its key.
  return { key, who: who ?? '\u{10ffff}' };
}

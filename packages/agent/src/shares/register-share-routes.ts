import type { SecretRing } from '@berth/agent-connectors';
import {
  type AgentApp,
  type AgentAppContext,
  type Authenticator,
  bearerToken,
  parseWorkspacePath,
  pathAfter,
  publicOrigin,
  type RouteGuard,
  rawPath,
  routesOf,
  type User,
} from '@berth/agent-core';
import type { OfficeFiles } from '@berth/agent-render';
import type { AgentStores } from '@berth/agent-store';
import { createError } from '@berth/contract';
import {
  createdShareSchema,
  createShareSchema,
  forkedSchema,
  okSchema,
  sharedDataSchema,
  sharedFileQuerySchema,
  shareParamsSchema,
  shareQuerySchema,
  shareSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { WorkspaceFiles } from '../files/create-workspace-files.ts';
import { serveShown } from '../files/serve-file.ts';
import { forkShare } from './fork-share.ts';
import { sharedData, shareView } from './share-view.ts';
import { createShares, type Sharer } from './shares.ts';

const FILE_ERRORS = [
  'unauthenticated',
  'forbidden',
  'not_found',
  'precondition_failed',
  'unsupported_media_type',
  'range_not_satisfiable',
] as const;

/** Headers that keep the address of a share out of search engines, referrers and caches: it holds the share's token. */
const PRIVATE_HEADERS = { 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' };

type ShareParams = z.infer<typeof shareParamsSchema>;
type ShareQuery = z.infer<typeof shareQuerySchema>;

/** Dependencies of {@link registerShareRoutes}. */
export interface ShareRouteDeps extends RouteGuard {
  readonly authenticator: Authenticator;
  readonly stores: Pick<AgentStores, 'shares' | 'chats'>;
  readonly files: WorkspaceFiles;
  readonly office: OfficeFiles;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly clock: Clock;
  /** Returns the keys that seal the tokens of shares. */
  openSecrets(): Promise<SecretRing>;
}

/** Registers the routes under `/share`, which share chats and files by link. Source: docs/contract/agent-api.md §6. */
export function registerShareRoutes(app: AgentApp, deps: ShareRouteDeps): void {
  const route = routesOf(app, deps, 'Sharing');
  const { authenticator, stores, files, clock } = deps;
  const shares = createShares(deps);
  const open = (c: AgentAppContext, { user, token }: ShareParams, { ws }: ShareQuery) =>
    shares.open({ user, ws }, token, () => viewerOf(c, authenticator));

  route('POST /share', 'createShare', {
    access: 'user',
    errors: ['forbidden', 'not_found'],
    summary: 'Share a chat or a file with a link',
    request: { body: jsonBody(createShareSchema) },
    responses: { 200: jsonResponse(createdShareSchema, 'The share, with its token and URL') },
  }).handle(async (c) => {
    const { path, audience, live, expires_at } = c.req.valid('json');
    const expiresAtMs = expires_at ? Date.parse(expires_at) : undefined;
    const { share, token } = await shares.create(sharerOf(c), { path, audience, isLive: live, expiresAtMs });
    return c.json(createdShareSchema.parse(shareView(share, token, publicOrigin(c))), 200);
  });

  route('GET /share', 'listShares', {
    access: 'user',
    summary: "List the caller's shares in the workspace, newest first",
    responses: {
      200: jsonResponse(z.array(shareSchema), 'With token and URL, unless the agent’s keys were lost'),
    },
  }).handle(async (c) => {
    const rows = await shares.list(sharerOf(c));
    return c.json(
      rows.map(({ share, token }) => shareView(share, token, publicOrigin(c))),
      200,
    );
  });

  route('DELETE /share/{token}', 'revokeShare', {
    access: 'user',
    summary: 'Revoke a share by its token or ID',
    request: { params: z.object({ token: z.string().min(1).max(256) }) },
    responses: { 200: jsonResponse(okSchema, 'Revoked, or did not exist') },
  }).handle(async (c) => {
    await shares.revoke(sharerOf(c), c.req.valid('param').token);
    return c.json({ ok: true as const }, 200);
  });

  route('GET /share/{user}/{token}/data', 'getSharedData', {
    access: 'public',
    errors: ['unauthenticated', 'forbidden', 'not_found'],
    summary: 'Read a share',
    request: { params: shareParamsSchema, query: shareQuerySchema },
    responses: { 200: jsonResponse(sharedDataSchema, "The conversation, or the file's location") },
  }).handle(async (c) => {
    const params = c.req.valid('param');
    return c.json(sharedData(await open(c, params, c.req.valid('query')), params.token), 200, PRIVATE_HEADERS);
  });

  route('POST /share/{user}/{token}/fork', 'forkShare', {
    access: 'user',
    errors: ['bad_request', 'forbidden', 'not_found'],
    summary: "Copy a shared chat and its files to the caller's workspace",
    request: { params: shareParamsSchema, query: shareQuerySchema },
    responses: { 200: jsonResponse(forkedSchema, 'The ID of the copy') },
  }).handle(async (c) => {
    const share = await open(c, c.req.valid('param'), c.req.valid('query'));
    const { chats } = stores;
    const [owner, workspace] = [c.get('owner'), c.get('workspace').key];
    const id = await forkShare(share, { chats, files, owner, workspace, nowMs: clock.nowMs() });
    return c.json({ id }, 200);
  });

  route('GET /share/{user}/{token}/file/{path{.+}}', 'getSharedFile', {
    access: 'public',
    errors: FILE_ERRORS,
    summary: 'Download a file of a share',
    request: { params: shareParamsSchema.extend({ path: z.string() }), query: sharedFileQuerySchema },
    responses: { 200: { description: 'The bytes as they were shared', content: { '*/*': { schema: z.any() } } } },
  }).handle(async (c) => {
    const { as, download: isDownload = false } = c.req.valid('query');
    const share = await open(c, c.req.valid('param'), c.req.valid('query'));
    // The raw `/share/{user}/{token}/file`: the client decides which characters are percent-encoded.
    const before = rawPath(c).split('/', 5).join('/');
    const file = await share.openFile(parseWorkspacePath(pathAfter(c, `${before}/`)));
    if (!file) throw createError('not_found', 'This share has no such file.');
    const { 'Cache-Control': _, ...headers } = PRIVATE_HEADERS;
    const { owner } = share.home;
    return serveShown(c, file, { office: deps.office, as, owner, headers, isDownload });
  });
}

function sharerOf(c: AgentAppContext): Sharer {
  return { user: c.get('user')!, workspace: c.get('workspace') };
}

/**
 * Returns the user who views a share, from the bearer token of the request.
 * @throws `unauthenticated` when the token is missing or invalid
 */
async function viewerOf(c: AgentAppContext, authenticator: Authenticator): Promise<User> {
  const token = bearerToken(c);
  if (token === undefined)
    throw createError('unauthenticated', 'This share is limited to an organization. Sign in first.');
  return authenticator.verify(token);
}

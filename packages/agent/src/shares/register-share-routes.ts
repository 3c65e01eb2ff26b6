import { createError } from '@berth/contract';
import {
  createdShareSchema,
  createShareSchema,
  forkedSchema,
  okSchema,
  sharedDataSchema,
  shareParamsSchema,
  shareSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { OwnerKey } from '../define/user.ts';
import { serveFile } from '../files/serve-file.ts';
import { parseWorkspacePath } from '../files/workspace-path.ts';
import type { AgentApp, AgentAppContext } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { defineRoute } from '../http/define-route.ts';
import { publicOrigin } from '../http/public-origin.ts';
import { pathAfter, rawPath } from '../http/raw-path.ts';
import { forkShare } from './fork-share.ts';
import { createFrozenFiles } from './frozen-files.ts';
import { sharedData, sharePagePath, shareView } from './share-view.ts';
import { createShares } from './shares.ts';
import { viewerOf } from './viewer-of.ts';

const tags = ['Sharing'];

const FILE_ERRORS = [
  'unauthenticated',
  'forbidden',
  'not_found',
  'precondition_failed',
  'range_not_satisfiable',
] as const;

/** A share is for those who were handed its address: nobody else is to find it, nor learn it from a link that is followed. */
const PRIVATE_HEADERS = { 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' };

/** Shares of chats and files. Source: spec agent-api 6. */
export function registerShareRoutes(app: AgentApp, deps: AgentDeps): void {
  const { stores, dataFolder, clock } = deps;
  const authenticator = deps.authenticator!;
  const { files } = deps.storage!;
  const frozen = createFrozenFiles(dataFolder, files, clock);
  const shares = createShares({ shares: stores.shares, chats: stores.chats, files, frozen, clock });
  const open = (c: AgentAppContext, { user, token }: z.infer<typeof shareParamsSchema>) =>
    shares.open(user as OwnerKey, token, () => viewerOf(c, authenticator));

  app.openapi(
    defineRoute({ access: 'user', errors: ['forbidden', 'not_found'] }, deps, {
      method: 'post',
      path: '/share',
      operationId: 'createShare',
      tags,
      summary: 'Share a chat or a file by a link',
      request: { body: jsonBody(createShareSchema) },
      responses: { 200: jsonResponse(createdShareSchema, 'The share; its token is told this once') },
    }),
    async (c) => {
      const { path, audience, live, expires_at } = c.req.valid('json');
      const expiresAtMs = expires_at ? Date.parse(expires_at) : undefined;
      const { share, token } = await shares.create(c.get('user')!, { path, audience, isLive: live, expiresAtMs });
      const url = publicOrigin(c) + sharePagePath(share.owner, token);
      return c.json({ ...shareView(share), token, url }, 200);
    },
  );

  app.openapi(
    defineRoute({ access: 'user' }, deps, {
      method: 'get',
      path: '/share',
      operationId: 'listShares',
      tags,
      summary: 'What I share, newest first',
      responses: { 200: jsonResponse(z.array(shareSchema), 'Without tokens: only their hashes are kept') },
    }),
    async (c) => c.json((await shares.list(c.get('owner'))).map(shareView), 200),
  );

  app.openapi(
    defineRoute({ access: 'user' }, deps, {
      method: 'delete',
      path: '/share/{token}',
      operationId: 'revokeShare',
      tags,
      summary: 'Take a share back, by its token or its id',
      request: { params: z.object({ token: z.string().min(1).max(256) }) },
      responses: { 200: jsonResponse(okSchema, 'Also when there is none') },
    }),
    async (c) => {
      await shares.revoke(c.get('owner'), c.req.valid('param').token);
      return c.json({ ok: true as const }, 200);
    },
  );

  app.openapi(
    defineRoute({ access: 'public', errors: ['unauthenticated', 'forbidden', 'not_found'] }, deps, {
      method: 'get',
      path: '/share/{user}/{token}/data',
      operationId: 'getSharedData',
      tags,
      summary: 'What a share shows',
      request: { params: shareParamsSchema },
      responses: { 200: jsonResponse(sharedDataSchema, 'The conversation, or where the file is') },
    }),
    async (c) => {
      const params = c.req.valid('param');
      return c.json(sharedData(await open(c, params), params.token), 200, PRIVATE_HEADERS);
    },
  );

  app.openapi(
    defineRoute({ access: 'user', errors: ['forbidden', 'not_found'] }, deps, {
      method: 'post',
      path: '/share/{user}/{token}/fork',
      operationId: 'forkShare',
      tags,
      summary: 'Copy a shared chat and its files into my workspace',
      request: { params: shareParamsSchema },
      responses: { 200: jsonResponse(forkedSchema, 'The id of the copy') },
    }),
    async (c) => {
      const share = await open(c, c.req.valid('param'));
      const { chats } = stores;
      const id = await forkShare(share, { chats, files, owner: c.get('owner'), nowMs: clock.nowMs() });
      return c.json({ id }, 200);
    },
  );

  app.openapi(
    defineRoute({ access: 'public', errors: FILE_ERRORS }, deps, {
      method: 'get',
      path: '/share/{user}/{token}/file/{path{.+}}',
      operationId: 'getSharedFile',
      tags,
      summary: 'A file that a share names',
      request: { params: shareParamsSchema.extend({ path: z.string() }) },
      responses: { 200: { description: 'Its bytes as they were shared', content: { '*/*': { schema: z.any() } } } },
    }),
    async (c) => {
      const share = await open(c, c.req.valid('param'));
      // `/share/{user}/{token}/file/`, whatever it is spelled like.
      const before = rawPath(c).split('/', 5).join('/');
      const file = await share.openFile(parseWorkspacePath(pathAfter(c, `${before}/`)));
      if (!file) throw createError('not_found', 'There is no such file in this share.');
      const { 'Cache-Control': _, ...headers } = PRIVATE_HEADERS;
      return serveFile(c, file, { headers, isDownload: c.req.query('download') !== undefined });
    },
  );
}

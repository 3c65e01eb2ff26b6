import { PassThrough, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Api, type ApiContext, auditSource, defineRoute, type Principal } from '@berth/accounts';
import { createError, hasScope, type Scope } from '@berth/contract';
import { API_KEY_HEADER } from '@berth/contract/headers';
import {
  advertise,
  createPacketReader,
  createPushReporter,
  type GitService,
  readFetch,
  readPush,
  serveFetch,
} from '@berth/git';
import { pumpBody, registerStream, requestBody } from '@berth/http';
import { BerthError, type Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { FollowDeploy } from '../../deployments/deploys/events/follow-deploy.ts';
import type { GitPushes, PushTarget } from '../create-git-pushes.ts';
import { judgePush } from '../judge-push.ts';
import { pushResponse } from '../push-response.ts';

/** Dependencies of {@link registerGitRoutes}. */
export interface GitRouteDeps {
  readonly pushes: GitPushes;
  readonly follow: FollowDeploy;
  readonly clock: Clock;
  /**
   * Returns the caller of a request.
   * @throws `unauthenticated`
   */
  authenticate(headers: Headers): Promise<Principal>;
}

const SCOPES: Readonly<Record<GitService, Scope>> = { 'git-receive-pack': 'deploy', 'git-upload-pack': 'read' };
/** Bytes of a fetch request, and of the commands of a push: thousands of ids. */
const MAX_REQUEST_BYTES = 2 ** 20;

const params = z.object({ repository: z.string().openapi({ description: '<name>.git', example: 'my-app.git' }) });
/** These routes are outside /v1 and authenticate by themselves. */
const access = {
  scope: 'public',
  errors: ['unauthenticated', 'forbidden', 'not_found', 'not_available'],
} as const;
const tags = ['Deployments'];
const streamOf = (type: string) => ({ content: { [`application/x-${type}`]: { schema: z.string() } } });

const discoverRoute = defineRoute('GET /git/{repository}/info/refs', {
  ...access,
  tags,
  operationId: 'discoverGitReferences',
  summary: "Git's smart HTTP protocol: the branch. Basic authentication with a key as the password",
  request: { params, query: z.object({ service: z.string().openapi({ example: 'git-receive-pack' }) }) },
  responses: { 200: { description: 'The references', ...streamOf('git-receive-pack-advertisement') } },
});

const fetchRoute = defineRoute('POST /git/{repository}/git-upload-pack', {
  ...access,
  tags,
  operationId: 'gitUploadPack',
  summary: "Git's smart HTTP protocol: a fetch or clone",
  request: { params, body: streamOf('git-upload-pack-request') },
  responses: { 200: { description: 'The history', ...streamOf('git-upload-pack-result') } },
});

const pushRoute = defineRoute('POST /git/{repository}/git-receive-pack', {
  ...access,
  tags,
  operationId: 'gitReceivePack',
  summary: "Git's smart HTTP protocol: a push, which deploys and streams progress",
  request: { params, body: streamOf('git-receive-pack-request') },
  responses: { 200: { description: 'Progress and the report', ...streamOf('git-receive-pack-result') } },
});

/**
 * Registers Git's smart HTTP protocol. Git sends a name, which is ignored, and a key as the password. Source: gitprotocol-http(5).
 */
export function registerGitRoutes(api: Api, deps: GitRouteDeps): void {
  registerStream(api, discoverRoute, (c) => answer(c, () => discover(c, deps)));
  registerStream(api, fetchRoute, (c) => answer(c, () => uploadPack(c, deps)));
  registerStream(api, pushRoute, (c) => answer(c, () => receivePack(c, deps)));
}

async function discover(c: ApiContext, deps: GitRouteDeps): Promise<Response> {
  const service = c.req.query('service');
  if (service !== 'git-receive-pack' && service !== 'git-upload-pack') {
    throw createError('bad_request', 'Only the smart protocol is supported. Update Git.');
  }
  const target = await authorize(c, deps, service);
  if (service === 'git-receive-pack') await deps.pushes.requireProgram();
  const branch = await deps.pushes.readBranch(target);
  return respond(c, `${service}-advertisement`, new Uint8Array(advertise(service, branch)));
}

async function uploadPack(c: ApiContext, deps: GitRouteDeps): Promise<Response> {
  const target = await authorize(c, deps, 'git-upload-pack');
  const branch = await deps.pushes.readBranch(target);
  const request = await withBody(c, deps, MAX_REQUEST_BYTES, readFetch);
  const stream = serveFetch(request, branch.commit, async () => deps.pushes.readHistory(target, branch));
  return respond(c, 'git-upload-pack-result', Readable.toWeb(Readable.from(stream)) as ReadableStream<Uint8Array>);
}

async function receivePack(c: ApiContext, deps: GitRouteDeps): Promise<Response> {
  const { pushes } = deps;
  const target = await authorize(c, deps, 'git-receive-pack');
  const branch = await pushes.readBranch(target);
  const type = 'git-receive-pack-result';
  return withBody(c, deps, pushes.limits.packBytes + MAX_REQUEST_BYTES, async (body) => {
    const reader = createPacketReader(body);
    const push = await readPush(reader);
    // A request that only tests the credentials, before a long upload.
    if (push.commands.length === 0) return respond(c, type, new Uint8Array());
    const { command, results } = judgePush(push, branch, target.name);
    if (!command) {
      for await (const _ of reader.rest());
      return respond(c, type, new Uint8Array(createPushReporter(push.hasSideband).report(results)));
    }
    const repository = await pushes.openRepository(target);
    const release = async () => repository[Symbol.asyncDispose]();
    try {
      const index = await repository.receivePack(reader.rest());
      const received = { ...target, source: auditSource(c), branch, command, repository, index };
      const { follow } = deps;
      const { hasSideband } = push;
      const options = { pushes, follow, logger: c.get('logger'), hasSideband, push: received, results, release };
      return respond(c, type, pushResponse(options));
    } catch (error) {
      await release();
      throw error;
    }
  });
}

/** Reads the body while it arrives, decompressed. @throws as {@link pumpBody} */
async function withBody<Value>(
  c: ApiContext,
  { clock }: GitRouteDeps,
  maxBytes: number,
  read: (body: AsyncIterable<Uint8Array>) => Promise<Value>,
): Promise<Value> {
  const body = c.req.header('content-encoding') === 'gzip' ? createGunzip() : new PassThrough();
  const ended = new AbortController();
  const pumped = pumpBody(requestBody(c), body, { clock, signal: ended.signal });
  pumped.catch((error: Error) => body.destroy(error));
  try {
    return await read(withLimit(body, maxBytes));
  } finally {
    ended.abort(createError('bad_request', 'The request was answered before its end.'));
  }
}

async function* withLimit(body: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw createError('payload_too_large', 'The request is too large.');
    yield chunk;
  }
}

/** Returns the deployment of the path. @throws `unauthenticated`, `forbidden`, `not_found` */
async function authorize(
  c: ApiContext,
  { pushes, authenticate }: GitRouteDeps,
  service: GitService,
): Promise<PushTarget> {
  const principal = await authenticate(readCredentials(c));
  c.set('principal', principal);
  const scope = SCOPES[service];
  if (!hasScope(principal.scopes, scope)) throw createError('forbidden', `This credential lacks the scope "${scope}".`);
  const [, name = ''] = /^(.*)\.git$/.exec(c.req.param('repository') ?? '') ?? [];
  const target = { account: principal.accountId, name };
  const deployment = await pushes.requireName(target);
  if (!deployment && service === 'git-upload-pack') throw createError('not_found', `No deployment is named "${name}".`);
  return target;
}

/** Git sends the key as the password of Basic authentication. Cookies of a browser are not accepted. */
function readCredentials(c: ApiContext): Headers {
  const key = c.req.header(API_KEY_HEADER);
  if (key !== undefined) return new Headers({ [API_KEY_HEADER]: key });
  const [, type = '', token = ''] = /^(basic|bearer) +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
  const password =
    type.toLowerCase() === 'basic'
      ? Buffer.from(token, 'base64')
          .toString('utf8')
          .replace(/^[^:]*:/, '')
      : token;
  if (!/^[\x21-\x7e]+$/.test(password)) throw createError('unauthenticated', 'Send an API key as the password.');
  return new Headers({ Authorization: `Bearer ${password}` });
}

function respond(c: ApiContext, type: string, body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>): Response {
  const headers = { 'Content-Type': `application/x-${type}`, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
  return c.body(body as ReadableStream, 200, headers);
}

/** Answers errors as text, which Git shows. */
async function answer(c: ApiContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!BerthError.is(error) || error.code === 'internal') throw error;
    const headers = error.status === 401 ? { 'WWW-Authenticate': 'Basic realm="Berth"' } : {};
    return c.text(`${error.message}\n`, error.status as 400, headers);
  }
}

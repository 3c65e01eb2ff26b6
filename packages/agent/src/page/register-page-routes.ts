import { type AgentApp, type AgentAppContext, defineRoute, publicOrigin, type RouteGuard } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { type AgentConfig, shareParamsSchema, shareQuerySchema } from '@berth/contract/agent';
import { registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { findPackedPage, type PageFile, readBuiltPage } from './built-page.ts';
import { frameHtml } from './frame-html.ts';
import { NO_PAGE } from './no-page.ts';
import { pageHtml } from './page-html.ts';

const tags = ['Page'];
const HTML = { 'text/html': { schema: z.string() } };

/** A year, as long as browsers keep anything. Source: RFC 9111, RFC 8246. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

export interface PageRouteDeps extends RouteGuard {
  /** The owner's own page: the folder that a bundler wrote; the packed page without it. */
  readonly page: string | undefined;
  readonly config: AgentConfig;
}

/**
 * `GET /`, and `GET /shared/{user}/{token}` where there are shares: the chat page, and the files that it is made of.
 * Source: docs/contract/agent-api.md §3 and §6.
 */
export function registerPageRoutes(app: AgentApp, deps: PageRouteDeps): void {
  const { page: folder, config, authenticator } = deps;
  // Nothing in it is secret, so that its compressed length tells nobody anything.
  const compressed = compress();
  const documentOf =
    folder === undefined ? registerPackedFiles(app, deps, compressed) : registerOwnFiles(app, folder, compressed);
  const signInOrigins = originsOf(authenticator?.signIn);

  const answer = (c: AgentAppContext, isUnlisted: boolean) => {
    const { html, contentSecurityPolicy } = pageHtml({
      document: documentOf(),
      title: config.seo.title,
      description: config.seo.description,
      config,
      signInOrigins,
      isUnlisted: isUnlisted || !config.seo.indexed,
      image: `${publicOrigin(c)}/og.png`,
    });
    return c.html(html, 200, {
      'Content-Security-Policy': contentSecurityPolicy,
      // Holds a nonce: each answer is good once.
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      // Windows in which people sign in to connectors tell this one how it went.
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
      ...(isUnlisted ? { 'X-Robots-Tag': 'noindex' } : {}),
    });
  };
  const page = defineRoute({ access: 'public' }, deps, {
    method: 'get',
    path: '/',
    operationId: 'getPage',
    tags,
    summary: 'The chat page',
    middleware: compressed,
    responses: { 200: { description: 'The page', content: HTML } },
  });
  registerStream(app, page, (c) => answer(c, false));
  if (!authenticator) return;
  const sharePage = defineRoute({ access: 'public' }, deps, {
    method: 'get',
    path: '/shared/{user}/{token}',
    operationId: 'getSharePage',
    tags,
    summary: 'The page that shows a shared chat or file',
    description: 'Answers for every address: the page itself reads `GET /share/{user}/{token}` and says what is wrong.',
    middleware: compressed,
    request: { params: shareParamsSchema, query: shareQuerySchema },
    responses: { 200: { description: 'The page', content: HTML } },
  });
  registerStream(app, sharePage, (c) => answer(c, true));
}

/** The page that comes with the package. It is read when somebody first comes: an agent that only answers calls starts without it. */
function registerPackedFiles(app: AgentApp, guard: RouteGuard, compressed: MiddlewareHandler): () => string {
  let packed: ReturnType<typeof findPackedPage>;
  const page = () => {
    packed ??= findPackedPage();
    return packed;
  };
  const route = defineRoute({ access: 'public', errors: ['not_found'] }, guard, {
    method: 'get',
    path: '/_page/{name}',
    operationId: 'getPageFile',
    tags,
    summary: 'A script, style sheet or font of the page',
    middleware: compressed,
    request: { params: z.object({ name: z.string() }) },
    responses: { 200: { description: 'The file' } },
  });
  registerStream(app, route, (c) => {
    const file = page()?.files.get(c.req.path);
    if (!file) throw createError('not_found', 'The page has no such file. Load it again: it may have been replaced.');
    return answerFile(c, file);
  });
  return () => page()?.html ?? NO_PAGE;
}

/** A page of the owner's, whose files lie where they like. @throws Error when the folder has no index.html */
function registerOwnFiles(app: AgentApp, folder: string, compressed: MiddlewareHandler): () => string {
  const { html, files } = readBuiltPage(folder);
  for (const [address, file] of files) app.get(address, compressed, (c) => answerFile(c, file));
  return () => html;
}

function answerFile(c: AgentAppContext, { bytes, type, isImmutable }: PageFile): Response {
  if (type.startsWith('text/html')) {
    const { html, contentSecurityPolicy } = frameHtml(Buffer.from(bytes).toString());
    return c.html(html, 200, { 'Content-Security-Policy': contentSecurityPolicy, 'Cache-Control': 'no-store' });
  }
  return c.body(bytes, 200, {
    'Content-Type': type,
    'Cache-Control': isImmutable ? FOR_GOOD : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    // A frame without an origin asks for its script as a stranger; there is nothing in these that only some may read.
    'Access-Control-Allow-Origin': '*',
  });
}

/** Where the page asks for tokens: the provider's own origin. */
function originsOf(signIn: Readonly<Record<string, unknown>> | null | undefined): readonly string[] {
  const issuer = signIn?.['issuer'];
  return typeof issuer === 'string' && URL.canParse(issuer) ? [new URL(issuer).origin] : [];
}

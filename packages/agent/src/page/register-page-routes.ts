import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentApp, type AgentAppContext, publicOrigin, type RouteGuard, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { AgentSignIn } from '@berth/contract/agent';
import { type AgentConfig, shareParamsSchema, shareQuerySchema } from '@berth/contract/agent';
import { z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { ARTIFACT_FRAME, artifactFrameHeaders } from './artifact-frame.ts';
import { frameHtml, pageHtml } from './page-html.ts';

const HTML = { 'text/html': { schema: z.string() } };

/** `Cache-Control` of files that never change: a year. Source: RFC 9111, RFC 8246. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Dependencies of {@link registerPageRoutes}. */
export interface PageRouteDeps extends RouteGuard {
  /** The build folder of the owner's own page; undefined for the packed page. */
  readonly page: string | undefined;
  /** Origins that artifacts may contact. */
  readonly artifactNetwork: readonly string[];
  readonly config: AgentConfig;
}

/**
 * Registers the chat page and its files: `GET /` and, for agents with sign-in, `GET /shared/{user}/{token}`.
 * Source: docs/contract/agent-api.md §3 and §6.
 */
export function registerPageRoutes(app: AgentApp, deps: PageRouteDeps): void {
  const route = routesOf(app, deps, 'Page');
  const { page: folder, config, authenticator } = deps;
  // Compression is safe: the page contains no secrets that its compressed size could leak.
  const compressed = compress();
  const documentOf =
    folder === undefined ? registerPackedFiles(app, deps, compressed) : registerOwnFiles(app, folder, compressed);
  const issuerOrigins = originsOf(authenticator?.signIn);

  const answer = async (c: AgentAppContext, isUnlisted: boolean) => {
    const endpointOrigins = (await authenticator?.signInOrigins?.()) ?? [];
    const { html, contentSecurityPolicy } = pageHtml({
      document: documentOf(),
      title: config.seo.title,
      description: config.seo.description,
      config,
      signInOrigins: [...new Set([...issuerOrigins, ...endpointOrigins])],
      isUnlisted: isUnlisted || !config.seo.indexed,
      image: `${publicOrigin(c)}/og.png`,
    });
    return c.html(html, 200, {
      'Content-Security-Policy': contentSecurityPolicy,
      // The document contains a nonce, which must not be reused.
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      // Connector sign-in runs in popups, which report their result to this window.
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
      ...(isUnlisted ? { 'X-Robots-Tag': 'noindex' } : {}),
    });
  };
  route('GET /', 'getPage', {
    access: 'public',
    summary: 'The chat page',
    middleware: compressed,
    responses: { 200: { description: 'The page', content: HTML } },
  }).stream((c) => answer(c, false));
  if (!authenticator) return;
  route('GET /shared/{user}/{token}', 'getSharePage', {
    access: 'public',
    summary: 'The page of a shared chat or file',
    description: 'Answers for every address: the page itself reads `GET /share/{user}/{token}` and shows errors.',
    middleware: compressed,
    request: { params: shareParamsSchema, query: shareQuerySchema },
    responses: { 200: { description: 'The page', content: HTML } },
  }).stream((c) => answer(c, true));
}

/**
 * Registers the packed page's files and returns a function that reads its document. Reads the page on the first request,
 * because agents used only as an API don't need it.
 */
function registerPackedFiles(app: AgentApp, deps: PageRouteDeps, compressed: MiddlewareHandler): () => string {
  const route = routesOf(app, deps, 'Page');
  let packed: ReturnType<typeof findPackedPage>;
  const page = () => {
    packed ??= findPackedPage();
    return packed;
  };
  route('GET /_page/{name}', 'getPageFile', {
    access: 'public',
    errors: ['not_found'],
    summary: 'A script, style sheet or font of the page',
    middleware: compressed,
    request: { params: z.object({ name: z.string() }) },
    responses: { 200: { description: 'The file' } },
  }).stream((c) => {
    const file = page()?.files.get(c.req.path);
    if (!file) throw createError('not_found', 'The page has no such file. Load it again: it may have been replaced.');
    if (c.req.path === ARTIFACT_FRAME) {
      return c.html(Buffer.from(file.bytes).toString(), 200, artifactFrameHeaders(deps.artifactNetwork));
    }
    return answerFile(c, file);
  });
  return () => page()?.html ?? NO_PAGE;
}

/** Registers each file of the owner's page at its own path. @throws Error when the folder has no index.html */
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
    // A sandboxed frame requests its script from an opaque origin. The files are public.
    'Access-Control-Allow-Origin': '*',
  });
}

/** Returns the origin of the identity provider, from which the page requests tokens. */
function originsOf(signIn: AgentSignIn | null | undefined): readonly string[] {
  if (!signIn || 'token' in signIn) return [];
  return URL.canParse(signIn.issuer) ? [new URL(signIn.issuer).origin] : [];
}

/** The document that an agent running from sources serves while the chat page isn't built. */
const NO_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <style>
      body { margin: 4rem auto; max-width: 36rem; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; color-scheme: light dark; }
    </style>
  </head>
  <body>
    <main>
      <h1>The chat page is not built</h1>
      <p>This agent runs from its sources, and answers every call. <code>npm run web</code> in the repository builds its page; then load this again.</p>
      <p><a href="/llms.txt">What this agent answers</a></p>
    </main>
  </body>
</html>
`;

/** The output of a bundler: a document and the files that it references. */
interface BuiltPage {
  /** `index.html` as the bundler wrote it. */
  readonly html: string;
  /** Files by URL path, with a leading slash. */
  readonly files: ReadonlyMap<string, PageFile>;
}

/** A file of a built page. */
interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The `Content-Type`. */
  readonly type: string;
  /** True when the name contains a hash of the content, so browsers may cache the file forever. */
  readonly isImmutable: boolean;
}

/** Types of the files that are served. HTML files other than index.html are frames of the page, see `frameHtml`. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** Matches hashed file names of bundlers, e.g. `main-B1x_9aKq.js`. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** Reads all files of a built page into memory. @throws Error when the folder has no index.html */
function readBuiltPage(folder: string): BuiltPage {
  const index = path.join(folder, 'index.html');
  if (!existsSync(index)) throw new Error(`defineAgent: page: there is no ${index}; give the folder of a built page`);
  const entries = globSync('**', { cwd: folder, withFileTypes: true });
  const files = entries.flatMap((entry): [string, PageFile][] => {
    const file = path.join(entry.parentPath, entry.name);
    const type = TYPES[path.extname(file)];
    if (!entry.isFile() || type === undefined || file === index) return [];
    const address = `/${path.relative(folder, file).split(path.sep).join('/')}`;
    const bytes = new Uint8Array(readFileSync(file));
    return [[address, { bytes, type, isImmutable: HASHED.test(entry.name) }]];
  });
  return { html: readFileSync(index, 'utf8'), files: new Map(files) };
}

/** The build output in the repository, relative to the packed page. */
const IN_REPO = '../../../../apps/chat/dist';

/** Returns the page of the package or, in the repository, the one built there; undefined when neither exists. */
function findPackedPage(): BuiltPage | undefined {
  const packed = path.dirname(fileURLToPath(import.meta.resolve('@berth/agent/assets/chat/index.html')));
  const folder = [packed, path.resolve(packed, IN_REPO)].find((one) => existsSync(path.join(one, 'index.html')));
  return folder === undefined ? undefined : readBuiltPage(folder);
}

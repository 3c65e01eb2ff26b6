import { createHash } from 'node:crypto';
import type { SecretRing } from '@berth/agent-connectors';
import {
  type AgentApp,
  type AgentAppContext,
  escapeXml,
  publicOrigin,
  type RouteGuard,
  routesOf,
} from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { type AgentConfig, agentConfigSchema, examplesSchema, exploreSchema } from '@berth/contract/agent';
import { type AnyContext, evaluateConditions, jsonResponse } from '@berth/http';
import { type Clock, contrastOf, createSingleFlight, describeError, type Logger, parseColor } from '@berth/kit';
import type { WorkspaceFiles } from '../files/create-workspace-files.ts';
import { createShares } from '../shares/shares.ts';
import { resolveExamples } from './examples.ts';
import { createExplore } from './explore.ts';
import { drawPreview } from './preview/draw-preview.ts';
import type { SiteOptions } from './site-options.ts';

/** Headers of lists that are the same for every caller. Source: docs/contract/agent-api.md §3. */
const LIST_HEADERS = { 'Cache-Control': 'public, max-age=300' };
const HOUR_SECONDS = 3_600;
/** Headers of documents that contain the origin of the request. */
const ADDRESS_HEADERS = { Vary: 'X-Forwarded-Host, X-Forwarded-Proto' };
/** Headers of the icon. An SVG opened as a page must not run scripts. */
const SVG_HEADERS = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" };

/** Dependencies of {@link registerMetadataRoutes}. */
export interface MetadataRouteDeps extends RouteGuard {
  readonly config: AgentConfig;
  readonly site: Pick<SiteOptions, 'favicon' | 'explore' | 'examples'>;
  readonly stores: Pick<AgentStores, 'shares' | 'chats'>;
  /** Undefined for an agent without `auth`, which has no shares to show as examples. */
  readonly storage: { readonly files: WorkspaceFiles } | undefined;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the keys that seal the tokens of shares. */
  openSecrets(): Promise<SecretRing>;
}

/**
 * Registers the public metadata: configuration, lists, icon, preview image and documents for crawlers. Source:
 * docs/contract/agent-api.md §3.
 */
export function registerMetadataRoutes(app: AgentApp, deps: MetadataRouteDeps): void {
  const route = routesOf(app, deps, 'Metadata');
  const { config, site, logger } = deps;
  const favicon = site.favicon ?? defaultFavicon(config);
  const explore = createExplore(site.explore, deps);
  const examples = examplesOf(deps);
  const preview = previewOf(config, logger);

  route('GET /config', 'getConfig', {
    access: 'public',
    summary: "Get the agent's public configuration",
    responses: { 200: jsonResponse(agentConfigSchema, 'The configuration') },
  }).handle((c) => c.json(config, 200, { 'Cache-Control': 'no-cache' }));
  route('GET /explore', 'explore', {
    access: 'public',
    summary: 'List other agents',
    responses: { 200: jsonResponse(exploreSchema, 'Possibly empty') },
  }).handle(async (c) => c.json({ agents: [...(await explore())] }, 200, LIST_HEADERS));
  route('GET /examples', 'listExamples', {
    access: 'public',
    summary: 'List example conversations',
    responses: { 200: jsonResponse(examplesSchema, 'The examples that are currently public') },
  }).handle(async (c) => c.json(await examples(), 200, LIST_HEADERS));

  const document = (
    path: `/${string}`,
    type: string,
    summary: string,
    make: (c: AgentAppContext) => string | Promise<Uint8Array<ArrayBuffer>>,
    headers = {},
  ) => {
    route(`GET ${path}`, undefined, {
      access: 'public',
      summary,
      responses: { 200: { description: summary, content: { [type]: { schema: { type: 'string' as const } } } } },
    }).handle(async (c) => {
      const contentType = type.startsWith('text/') ? `${type}; charset=utf-8` : type;
      return answerCached(c, contentType, await make(c), headers);
    });
  };
  document('/favicon.svg', 'image/svg+xml', 'The icon', () => favicon, SVG_HEADERS);
  document('/og.png', 'image/png', 'Get the preview image for links to the agent, 1200×630', () => preview());
  const addressed = (path: `/${string}`, type: string, summary: string, make: (origin: string) => string) =>
    document(path, type, summary, (c) => make(publicOrigin(c)), ADDRESS_HEADERS);
  addressed('/llms.txt', 'text/plain', 'Describe the agent and its API for machines', (origin) =>
    llmsText(config, origin),
  );
  addressed('/robots.txt', 'text/plain', 'Get the rules for search engines', (origin) =>
    robotsText(config.seo.indexed, origin),
  );
  addressed('/sitemap.xml', 'application/xml', 'The pages of the agent', sitemap);
}

/** Returns `robots.txt`. Shares are excluded: their links are private. Other private routes need a token anyway. */
function robotsText(isIndexed: boolean, origin: string): string {
  const rules = isIndexed ? ['Disallow: /shared/', 'Disallow: /share/', 'Allow: /'] : ['Disallow: /'];
  return ['User-agent: *', ...rules, '', `Sitemap: ${origin}/sitemap.xml`, ''].join('\n');
}

function sitemap(origin: string): string {
  const locations = ['/', '/llms.txt'].map((path) => `<url><loc>${escapeXml(origin + path)}</loc></url>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...locations,
    '</urlset>',
    '',
  ].join('\n');
}

/** Returns a function that lists the examples; always empty for an agent without `auth`, which has no shares. */
function examplesOf(deps: MetadataRouteDeps) {
  const { site, storage, logger } = deps;
  const { examples: categories = [] } = site;
  if (!storage || categories.length === 0) return async () => ({ categories: [] });
  const { files } = storage;
  const shares = createShares({ ...deps, files });
  return () => resolveExamples(categories, shares, logger);
}

/** Returns a function that draws the preview image on first use and then returns the same bytes. */
function previewOf(config: AgentConfig, logger: Logger) {
  const flight = createSingleFlight<Uint8Array<ArrayBuffer>>();
  let drawn: Uint8Array<ArrayBuffer> | undefined;
  return async () => {
    try {
      drawn ??= await flight.run('preview', () => drawPreview(config));
      return drawn;
    } catch (error) {
      logger.error({ error: describeError(error) }, 'the preview picture cannot be drawn');
      throw createError('unavailable', "The preview image can't be rendered on this machine. See the agent's log.");
    }
  };
}

/** Least contrast of large text. Source: WCAG 2.2, 1.4.3. */
const LEAST_CONTRAST = 3;

/** Returns an SVG icon with the first letter of the title on the agent's primary color, in white or, on a light color, in near-black. */
function defaultFavicon({ title, colors }: Pick<AgentConfig, 'title' | 'colors'>): string {
  const [first] = new Intl.Segmenter().segment(title.trim().toUpperCase());
  const letter = escapeXml(first?.segment ?? 'A');
  const ground = parseColor(colors.primary);
  const ink = ground && contrastOf(ground, [255, 255, 255]) < LEAST_CONTRAST ? '#14171c' : '#fff';
  const font = 'font-family="system-ui,sans-serif" font-size="36" font-weight="600"';
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">',
    `<rect width="64" height="64" rx="14" fill="${colors.primary}"/>`,
    `<text x="32" y="45" text-anchor="middle" ${font} fill="${ink}">${letter}</text></svg>`,
  ].join('');
}

/** Returns a response with a public document that caches may use for an hour, or 304 when `If-None-Match` names its ETag. */
function answerCached(
  c: AnyContext,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const common = { ...headers, ETag: etag, 'Cache-Control': `public, max-age=${HOUR_SECONDS}` };
  // Only the ETag is compared: a generated document has no modification time.
  const known = c.req.header('if-none-match');
  const condition = evaluateConditions(known === undefined ? {} : { 'if-none-match': known }, { etag, updatedAtMs: 0 });
  if (condition === 304) return new Response(null, { status: 304, headers: common });
  return new Response(body, { headers: { ...common, 'Content-Type': type } });
}

/** Returns the document `/llms.txt`, which describes an agent and its API to language models. Source: llmstxt.org. */
function llmsText({ title, description, auth, workspaces }: AgentConfig, origin: string): string {
  const token = auth ? ' With `Authorization: Bearer TOKEN`.' : '';
  const link = (method: string, path: string, what: string) => `- [${method} ${path}](${origin}${path}): ${what}`;
  return [
    `# ${oneLine(title)}`,
    '',
    ...(description ? [`> ${oneLine(description)}`, ''] : []),
    '## API',
    '',
    link('POST', '/chat/completions', `OpenAI-compatible chat completions, streamed or whole.${token}`),
    link('POST', '/chat', `A turn as server-sent events: text, tables, steps. Body \`{"messages":[…]}\`.${token}`),
    link('GET', '/config', 'Name, title, sign-in and limits as JSON.'),
    ...(auth
      ? [link('GET', '/chats', 'The caller’s conversations.'), link('GET', '/files', 'The caller’s files.')]
      : []),
    ...(workspaces
      ? [link('GET', '/workspaces', 'The caller’s teams. Every request works in one with `X-Workspace: ID`.')]
      : []),
    '',
    '## Optional',
    '',
    link('GET', '/explore', 'Other agents.'),
    link('GET', '/examples', 'Conversations that were shared as examples.'),
    '',
  ].join('\n');
}

/** Replaces line breaks, which would start another section of the document. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

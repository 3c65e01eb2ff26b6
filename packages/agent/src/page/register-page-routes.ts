import type { MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import type { AgentApp, AgentAppContext } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { publicOrigin } from '../http/public-origin.ts';
import { agentConfig } from '../metadata/agent-config.ts';
import { type BuiltPage, findPackedPage, readBuiltPage } from './built-page.ts';
import { readPageAssets } from './page-assets.ts';
import { builtPageHtml, type PageHtml, type PageOptions, pageHtml } from './page-html.ts';

/** A year, as long as browsers keep anything. Source: RFC 9111, RFC 8246. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** `GET /`, and `GET /shared/{user}/{token}` where there are shares: the chat page, and the files that it is made of. Source: spec agent-api 3 and 6. */
export function registerPageRoutes(app: AgentApp, deps: AgentDeps): void {
  const { authenticator } = deps;
  const { page: folder } = deps.options;
  const built = folder === undefined ? findPackedPage() : readBuiltPage(folder);
  const compose = composerOf(built);
  const config = agentConfig(deps);
  const signInOrigins = originsOf(authenticator?.signIn);

  const answer = (c: AgentAppContext, isUnlisted: boolean) => {
    const { html, contentSecurityPolicy } = compose({
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

  // Nothing in it is secret, so that its compressed length tells nobody anything.
  const compressed = compress();
  app.get('/', compressed, (c) => answer(c, false));
  if (authenticator) app.get('/shared/:user/:token', compressed, (c) => answer(c, true));
  if (built) registerPageFiles(app, built, compressed);
}

/** Where nothing built is there, the page is one script and one style that come with the package. */
function composerOf(built: BuiltPage | undefined): (options: PageOptions) => PageHtml {
  if (built) return (options) => builtPageHtml({ ...options, document: built.html });
  const assets = readPageAssets();
  return (options) => pageHtml({ ...options, ...assets });
}

function registerPageFiles(app: AgentApp, { files }: BuiltPage, compressed: MiddlewareHandler): void {
  for (const [address, { bytes, type, isImmutable }] of files) {
    app.get(address, compressed, (c) =>
      c.body(bytes, 200, {
        'Content-Type': type,
        'Cache-Control': isImmutable ? FOR_GOOD : 'no-cache',
        'X-Content-Type-Options': 'nosniff',
      }),
    );
  }
}

/** Where the page asks for tokens: the provider's own origin. */
function originsOf(signIn: Readonly<Record<string, unknown>> | null | undefined): readonly string[] {
  const issuer = signIn?.['issuer'];
  return typeof issuer === 'string' && URL.canParse(issuer) ? [new URL(issuer).origin] : [];
}

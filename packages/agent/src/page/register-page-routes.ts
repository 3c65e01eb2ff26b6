import { compress } from 'hono/compress';
import type { AgentApp, AgentAppContext } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { publicOrigin } from '../http/public-origin.ts';
import { agentConfig } from '../metadata/agent-config.ts';
import { readPageAssets } from './page-assets.ts';
import { pageHtml } from './page-html.ts';

/** `GET /`, and `GET /shared/{user}/{token}` where there are shares: the chat page. Source: spec agent-api 3 and 6. */
export function registerPageRoutes(app: AgentApp, deps: AgentDeps): void {
  const { authenticator } = deps;
  const assets = readPageAssets();
  const config = agentConfig(deps);
  const signInOrigins = originsOf(authenticator?.signIn);

  const answer = (c: AgentAppContext, isUnlisted: boolean) => {
    const { html, contentSecurityPolicy } = pageHtml({
      ...{
        title: config.seo.title,
        description: config.seo.description,
        config,
        signInOrigins,
        isUnlisted: isUnlisted || !config.seo.indexed,
        ...assets,
      },
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
}

/** Where the page asks for tokens: the provider's own origin. */
function originsOf(signIn: Readonly<Record<string, unknown>> | null | undefined): readonly string[] {
  const issuer = signIn?.['issuer'];
  return typeof issuer === 'string' && URL.canParse(issuer) ? [new URL(issuer).origin] : [];
}

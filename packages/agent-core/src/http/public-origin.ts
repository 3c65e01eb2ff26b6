import type { AgentAppContext } from './agent-app.ts';

/**
 * Returns the agent's address as the caller used it, e.g. `https://my-agent.apps.example.com`, without a trailing slash. The
 * platform's gateway sets both headers and accepts neither from outside. Without a gateway they are the caller's own claim,
 * and the result only goes back to that caller.
 */
export function publicOrigin(c: AgentAppContext): string {
  const { protocol, host } = new URL(c.req.url);
  const scheme = c.req.header('x-forwarded-proto') === 'https' ? 'https:' : protocol;
  const forwarded = c.req.header('x-forwarded-host') ?? '';
  return `${scheme}//${/^[a-z\d.:[\]-]{1,255}$/i.test(forwarded) ? forwarded.toLowerCase() : host}`;
}

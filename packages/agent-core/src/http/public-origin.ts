import type { AgentAppContext } from './agent-app.ts';

/**
 * The agent's address as its callers wrote it, e.g. `https://my-agent.apps.example.com`, without a slash at its end. The
 * platform's gateway says both headers itself and takes neither from outside; without one in front they are the caller's
 * own word, which only comes back to the caller.
 */
export function publicOrigin(c: AgentAppContext): string {
  const { protocol, host } = new URL(c.req.url);
  const scheme = c.req.header('x-forwarded-proto') === 'https' ? 'https:' : protocol;
  const forwarded = c.req.header('x-forwarded-host') ?? '';
  return `${scheme}//${/^[a-z\d.:[\]-]{1,255}$/i.test(forwarded) ? forwarded.toLowerCase() : host}`;
}

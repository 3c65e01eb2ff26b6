import type { ServerResponse } from 'node:http';
import type { Next } from 'hono';
import type { MembershipWatch } from '../identity/membership-watch.ts';
import type { AgentAppContext } from './agent-app.ts';

/** Runs the route, and cuts its response off when the caller leaves the workspace. Source: docs/contract/agent-api.md §7. */
export async function answerWhileMember(c: AgentAppContext, watch: MembershipWatch, next: Next): Promise<void> {
  const lost = new AbortController();
  const release = watch.hold(c.get('user')!, c.get('workspace'), () => lost.abort());
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse };
  if (outgoing) {
    lost.signal.addEventListener('abort', () => void outgoing.destroy(), { once: true });
    outgoing.once('close', release);
    if (outgoing.closed) release();
    return next();
  }
  // Inside another server there is no socket to destroy, only the response body.
  await next();
  const { body } = c.res;
  if (!body) return release();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // A failure of the pipe reaches the reader of the response.
  body.pipeTo(writable, { signal: lost.signal }).then(release, release);
  c.res = new Response(readable, c.res);
}

import type { ServerResponse } from 'node:http';
import { ANONYMOUS, memberKey, ownerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { WORKSPACE_HEADER } from '@berth/contract/headers';
import type { MiddlewareHandler, Next } from 'hono';
import type { Authenticator } from '../identity/authenticator.ts';
import type { User } from '../identity/user.ts';
import {
  type ActiveWorkspace,
  type MembershipWatch,
  personalWorkspace,
  type WorkspaceAccess,
} from '../identity/workspace-access.ts';
import type { AgentAppContext, AgentEnv } from './agent-app.ts';
import { bearerToken } from './bearer-token.ts';

/** Dependencies of the check who may call a route, and in which workspace. */
export interface RouteGuard {
  /** Undefined for an agent without `auth`. */
  readonly authenticator: Authenticator | undefined;
  /** Undefined unless the agent has team workspaces. */
  readonly registry: WorkspaceAccess | undefined;
  /** Ends responses whose reader has left the workspace; defined where `registry` is. */
  readonly watch: MembershipWatch | undefined;
}

const ANONYMOUS_WORKSPACE: ActiveWorkspace = { id: 'u-anonymous', type: 'personal', role: 'owner', key: ANONYMOUS };

/**
 * Returns middleware that requires a valid token and sets `user`, `workspace` and `owner`.
 * @param isPersonal ignores `X-Workspace`, as `/workspaces*` and the public routes of shares do. Source: docs/contract/agent-api.md §1.
 */
export function requireUser(guard: RouteGuard, isPersonal = false): MiddlewareHandler<AgentEnv> {
  const { authenticator, registry, watch } = guard;
  if (!authenticator) throw new Error('requireUser needs an agent with auth');
  return async (c, next) => {
    const token = bearerToken(c);
    if (token === undefined) {
      throw createError('unauthenticated', 'Sign in first: send Authorization: Bearer TOKEN.');
    }
    const user = await authenticator.verify(token);
    const workspace =
      registry && !isPersonal ? await registry.enter(user, c.req.header(WORKSPACE_HEADER)) : personalWorkspace(user);
    enter(c, user, workspace);
    if (watch && workspace.type === 'team') await answerWhileMember(c, watch, next);
    else await next();
  };
}

/** Returns `requireUser` for an agent with `auth`; without it, middleware that passes all callers as `ANONYMOUS`. Source: docs/contract/agent-api.md §1. */
export function allowAnonymous(guard: RouteGuard): MiddlewareHandler<AgentEnv> {
  if (guard.authenticator) return requireUser(guard);
  return async (c, next) => {
    c.set('user', undefined);
    c.set('workspace', ANONYMOUS_WORKSPACE);
    c.set('owner', ANONYMOUS);
    await next();
  };
}

function enter(c: AgentAppContext, user: User, workspace: ActiveWorkspace): void {
  c.set('user', user);
  c.set('workspace', workspace);
  c.set('owner', memberKey(ownerKey(user), workspace));
}

/** Runs the route, and cuts its response off when the caller leaves the workspace. Source: docs/contract/agent-api.md §7. */
async function answerWhileMember(c: AgentAppContext, watch: MembershipWatch, next: Next): Promise<void> {
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

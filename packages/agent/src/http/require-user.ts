import { createError } from '@berth/contract';
import type { MiddlewareHandler } from 'hono';
import type { Authenticator } from '../define/authenticator.ts';
import { ANONYMOUS, ownerKey } from '../define/user.ts';
import type { AgentEnv } from './agent-app.ts';
import { bearerToken } from './bearer-token.ts';

/** Lets nobody pass without a good token; sets `user` and `owner`. */
export function requireUser(authenticator: Authenticator): MiddlewareHandler<AgentEnv> {
  return async (c, next) => {
    const token = bearerToken(c);
    if (token === undefined) {
      throw createError('unauthenticated', 'Sign in first: send Authorization: Bearer TOKEN.');
    }
    const user = await authenticator.verify(token);
    c.set('user', user);
    c.set('owner', ownerKey(user));
    await next();
  };
}

/** `requireUser` for an agent with `auth`; without it everybody passes, as `ANONYMOUS`. Source: spec agent-api 1. */
export function allowAnonymous(authenticator: Authenticator | undefined): MiddlewareHandler<AgentEnv> {
  if (authenticator) return requireUser(authenticator);
  return async (c, next) => {
    c.set('user', undefined);
    c.set('owner', ANONYMOUS);
    await next();
  };
}

import { createError, hasScope, type Scope } from '@berth/contract';
import type { MiddlewareHandler } from 'hono';
import { requirePerson } from '../principal/require-person.ts';
import type { ApiEnv } from './api.ts';

/** Refuses a credential without `scope` with 403. */
export function requireScope(scope: Scope): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (!hasScope(c.get('principal').scopes, scope)) {
      throw createError('forbidden', `This credential lacks the scope "${scope}".`);
    }
    await next();
  };
}

/** Refuses every account but the operator's with 403. */
export function requireOperator(): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (!c.get('principal').isOperator) {
      throw createError('forbidden', "Only the operator's account may do this.");
    }
    await next();
  };
}

/** Refuses people who aren't owners of the account, and keys that they made, with 403. */
export function requireOwner(): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const { userId, role } = c.get('principal');
    if (userId !== undefined && role !== 'owner') {
      throw createError('forbidden', 'Only an owner of the account may do this.');
    }
    await next();
  };
}

/** Refuses every caller but a person who is signed in with 403. */
export function requireSession(): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    requirePerson(c.get('principal'));
    await next();
  };
}

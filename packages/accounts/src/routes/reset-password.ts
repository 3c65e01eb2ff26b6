import {
  createPasswordResetRequestSchema,
  passwordResetLinkSchema,
  passwordResetRequestSchema,
  passwordResetSchema,
  passwordResetTokenRequestSchema,
  signedInSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { auditSource } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { PasswordResets } from '../passwords/password-resets.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';
import { limitSessionCalls } from './get-session.ts';

const createRoute = defineRoute('POST /v1/user/members/reset-password', {
  scope: 'admin',
  errors: ['not_found', 'conflict'],
  operationId: 'createPasswordReset',
  tags: ['Account'],
  summary: 'Create a one-time link with which a person sets a new password; owners only',
  description:
    "An owner of the operator's account can do this for anyone on the platform, other owners for members who belong to no other account.",
  request: { body: jsonBody(createPasswordResetRequestSchema) },
  responses: { 200: jsonResponse(passwordResetLinkSchema, 'The link, which works once, within a day') },
});

const showRoute = defineRoute('POST /v1/auth/password-reset/show', {
  scope: 'public',
  errors: ['not_found'],
  operationId: 'showPasswordReset',
  tags: ['Sign-in'],
  summary: 'Get the person of a password reset link',
  request: { body: jsonBody(passwordResetTokenRequestSchema) },
  responses: { 200: jsonResponse(passwordResetSchema, 'The person') },
});

const acceptRoute = defineRoute('POST /v1/auth/password-reset', {
  scope: 'public',
  errors: ['not_found'],
  operationId: 'resetPassword',
  tags: ['Sign-in'],
  summary: 'Set a new password with a reset link; ends all sessions of the person',
  request: { body: jsonBody(passwordResetRequestSchema) },
  responses: { 200: jsonResponse(signedInSchema, "A session; the link can't be used again") },
});

export function registerPasswordResetRoutes(
  api: Api,
  deps: SignInAnswerDeps & { readonly passwordResets: PasswordResets; readonly clock: Clock },
): void {
  const { passwordResets } = deps;
  const limit = limitSessionCalls(deps.clock);
  api.openapi(createRoute, async (c) => {
    const { user } = c.req.valid('json');
    return c.json(await passwordResets.create(c.get('principal'), user, auditSource(c)), 200);
  });
  api.openapi(showRoute, async (c) => {
    limit(c);
    return c.json(await passwordResets.show(c.req.valid('json').token), 200);
  });
  api.openapi(acceptRoute, async (c) => {
    limit(c);
    const begun = await passwordResets.accept(c.req.valid('json'), sessionPlace(c), c.get('requestId'));
    return c.json(toSignedIn(c, begun, deps), 200);
  });
}

import {
  firstRunCheckRequestSchema,
  firstRunRequestSchema,
  firstRunStateSchema,
  signedInSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { FirstRun } from '../people/first-run.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';
import { limitSessionCalls } from './get-session.ts';

const route = defineRoute('POST /v1/auth/first-run', {
  scope: 'public',
  errors: ['unauthenticated', 'conflict'],
  operationId: 'beginFirstRun',
  tags: ['Sign-in'],
  summary: "Create the platform's first person with the one-time link printed by the server",
  description:
    "The person becomes an owner of the operator's account. The link works once, within a day, until the next start.",
  request: { body: jsonBody(firstRunRequestSchema) },
  responses: { 200: jsonResponse(signedInSchema, 'A session') },
});

const checkRoute = defineRoute('POST /v1/auth/first-run/check', {
  scope: 'public',
  operationId: 'checkFirstRun',
  tags: ['Sign-in'],
  summary: 'Whether the platform needs its first person, and whether a first-run link can be used',
  request: { body: jsonBody(firstRunCheckRequestSchema) },
  responses: { 200: jsonResponse(firstRunStateSchema, 'The state of the platform and the link') },
});

/** Registers `POST /v1/auth/first-run` and `POST /v1/auth/first-run/check`. */
export function registerBeginFirstRun(
  api: Api,
  deps: SignInAnswerDeps & { readonly firstRun: FirstRun; readonly clock: Clock },
): void {
  const limit = limitSessionCalls(deps.clock);
  api.openapi(checkRoute, async (c) => {
    limit(c);
    return c.json(await deps.firstRun.check(c.req.valid('json').token ?? ''), 200);
  });
  api.openapi(route, async (c) => {
    const place = sessionPlace(c);
    return c.json(toSignedIn(c, await deps.firstRun.accept(c.req.valid('json'), place), deps), 200);
  });
}

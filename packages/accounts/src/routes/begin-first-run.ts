import { firstRunRequestSchema, signedInSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { FirstRun } from '../people/first-run.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';

const route = defineRoute('POST /v1/auth/first-run', {
  scope: 'public',
  errors: ['unauthenticated', 'conflict'],
  operationId: 'beginFirstRun',
  tags: ['Sign-in'],
  summary: "Make the platform's first person, with the one-time link that the server printed",
  description:
    "The person is an owner of the operator's account. The link is good once, for a day, until the next start.",
  request: { body: jsonBody(firstRunRequestSchema) },
  responses: { 200: jsonResponse(signedInSchema, 'A session') },
});

/** Registers `POST /v1/auth/first-run`. */
export function registerBeginFirstRun(api: Api, deps: SignInAnswerDeps & { readonly firstRun: FirstRun }): void {
  api.openapi(route, async (c) => {
    const place = sessionPlace(c);
    return c.json(toSignedIn(c, await deps.firstRun.accept(c.req.valid('json'), place), deps), 200);
  });
}

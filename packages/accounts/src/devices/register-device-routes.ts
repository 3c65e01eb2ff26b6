import {
  type DeviceError,
  decideDeviceRequestSchema,
  deviceCodeRequestSchema,
  deviceCodeSchema,
  deviceErrorSchema,
  deviceQuerySchema,
  deviceSchema,
  deviceTokenRequestSchema,
  messageSchema,
  signedInSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { auditSource } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePerson } from '../principal/principal.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';
import type { DeviceGrants, DeviceRefusal } from './device-grants.ts';

const codeRoute = defineRoute('POST /v1/auth/device/code', {
  scope: 'public',
  operationId: 'createDeviceCode',
  tags: ['Sign-in'],
  summary: 'Begin to sign in a device that has no browser',
  description: 'People open `verification_uri`, compare or type `user_code`, and decide. Source: RFC 8628.',
  request: { body: jsonBody(deviceCodeRequestSchema) },
  responses: { 200: jsonResponse(deviceCodeSchema, 'What to show, and what to ask with') },
});

const tokenRoute = defineRoute('POST /v1/auth/device/token', {
  scope: 'public',
  operationId: 'createDeviceToken',
  tags: ['Sign-in'],
  summary: 'Ask whether the device is let in, every `interval` seconds',
  request: { body: jsonBody(deviceTokenRequestSchema) },
  responses: {
    200: jsonResponse(signedInSchema, 'A session; the code is used up'),
    400: jsonResponse(deviceErrorSchema, 'Not yet, or never'),
  },
});

const showRoute = defineRoute('GET /v1/user/device', {
  scope: 'session',
  errors: ['not_found'],
  operationId: 'getDevice',
  tags: ['Account'],
  summary: 'The device that waits with a code',
  request: { query: deviceQuerySchema },
  responses: { 200: jsonResponse(deviceSchema, 'What asks to be let in') },
});

const decideRoute = defineRoute('POST /v1/user/device', {
  scope: 'session',
  errors: ['not_found'],
  operationId: 'decideDevice',
  tags: ['Account'],
  summary: 'Let a device act for you, or refuse it',
  request: { body: jsonBody(decideDeviceRequestSchema) },
  responses: { 200: jsonResponse(messageSchema, 'It learns of it at its next question') },
});

const REFUSALS: Readonly<Record<DeviceRefusal, string>> = {
  authorization_pending: 'Nobody has decided yet. Ask again after the interval.',
  slow_down: 'You ask too often: wait five seconds longer from now on.',
  access_denied: 'The person said no.',
  expired_token: 'This device code is not known, used up, or older than ten minutes: begin again.',
};

export function registerDeviceRoutes(api: Api, deps: SignInAnswerDeps & { readonly devices: DeviceGrants }): void {
  const { devices } = deps;
  api.openapi(codeRoute, async (c) => {
    return c.json(await devices.begin(c.req.valid('json').device_name, sessionPlace(c)), 200);
  });
  api.openapi(tokenRoute, async (c) => {
    const result = await devices.poll(c.req.valid('json').device_code, sessionPlace(c));
    if (typeof result !== 'string') return c.json(toSignedIn(c, result, deps), 200);
    const description = REFUSALS[result];
    const refusal: DeviceError = { error: result, error_description: description, detail: description };
    return c.json(refusal, 400);
  });
  api.openapi(showRoute, async (c) => {
    return c.json(await devices.show(c.req.valid('query').user_code, requirePerson(c.get('principal'))), 200);
  });
  api.openapi(decideRoute, async (c) => {
    const { user_code: userCode, approve } = c.req.valid('json');
    const principal = c.get('principal');
    const decision = { userCode, approve, userId: requirePerson(principal), accountId: principal.accountId };
    await devices.decide(decision, auditSource(c));
    return c.json({ detail: approve ? 'The device is let in.' : 'The device is refused.' }, 200);
  });
}

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
  summary: 'Start signing in a device without a browser',
  description: 'People open `verification_uri`, compare or enter `user_code`, and decide. Source: RFC 8628.',
  request: { body: jsonBody(deviceCodeRequestSchema) },
  responses: { 200: jsonResponse(deviceCodeSchema, 'The code to show, and the code to poll with') },
});

const tokenRoute = defineRoute('POST /v1/auth/device/token', {
  scope: 'public',
  operationId: 'createDeviceToken',
  tags: ['Sign-in'],
  summary: "Poll for the device's token every `interval` seconds",
  request: { body: jsonBody(deviceTokenRequestSchema) },
  responses: {
    200: jsonResponse(signedInSchema, "A session; the code can't be used again"),
    400: jsonResponse(deviceErrorSchema, 'Not approved yet, or denied'),
  },
});

const showRoute = defineRoute('GET /v1/user/device', {
  scope: 'session',
  errors: ['not_found'],
  operationId: 'getDevice',
  tags: ['Account'],
  summary: 'Get the device waiting with a code',
  request: { query: deviceQuerySchema },
  responses: { 200: jsonResponse(deviceSchema, 'The device that requests access') },
});

const decideRoute = defineRoute('POST /v1/user/device', {
  scope: 'session',
  errors: ['not_found'],
  operationId: 'decideDevice',
  tags: ['Account'],
  summary: 'Approve or deny a device',
  request: { body: jsonBody(decideDeviceRequestSchema) },
  responses: { 200: jsonResponse(messageSchema, 'The device learns the decision at its next poll') },
});

const REFUSALS: Readonly<Record<DeviceRefusal, string>> = {
  authorization_pending: 'Authorization is pending. Poll again after the interval.',
  slow_down: 'Polling too fast. Increase the interval by five seconds.',
  access_denied: 'The request was denied.',
  expired_token: 'This device code is unknown, used or older than ten minutes. Start again.',
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
    return c.json({ detail: approve ? 'Device approved.' : 'Device denied.' }, 200);
  });
}

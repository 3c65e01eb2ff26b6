import { type Api, auditSource, defineOperation } from '@berth/accounts';
import {
  alertEventSchema,
  alertHistoryQuerySchema,
  alertIdRequestSchema,
  alertSchema,
  alertWithSecretSchema,
  createAlertRequestSchema,
  messageSchema,
  updateAlertRequestSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { AlertRules } from '../alert-rules.ts';

/** The dependencies of the routes. */
export interface AlertRouteDeps {
  readonly rules: AlertRules;
}

const listAlerts = defineOperation(
  'GET /v1/alerts',
  {
    scope: 'read',
    operationId: 'listAlerts',
    tags: ['Alerts'],
    summary: 'List alerts and what they fire for',
    responses: { 200: jsonResponse(z.array(alertSchema), 'Oldest first') },
  },
  async (c, { rules }: AlertRouteDeps) => c.json(await rules.list(c.get('principal').accountId), 200),
);

const createAlert = defineOperation(
  'POST /v1/alerts',
  {
    scope: 'deploy',
    errors: ['not_found', 'not_available'],
    operationId: 'createAlert',
    tags: ['Alerts'],
    summary: 'Create an alert; the secret of its webhook is shown once',
    request: { body: jsonBody(createAlertRequestSchema) },
    responses: { 200: jsonResponse(alertWithSecretSchema, 'The alert') },
  },
  async (c, { rules }: AlertRouteDeps) => {
    const { deployment_name: deployment = null, ...input } = c.req.valid('json');
    return c.json(await rules.create({ ...input, deployment }, auditSource(c)), 200);
  },
);

const updateAlert = defineOperation(
  'POST /v1/alerts/update',
  {
    scope: 'deploy',
    errors: ['not_found', 'not_available'],
    operationId: 'updateAlert',
    tags: ['Alerts'],
    summary: 'Change an alert; absent fields stay as they are',
    request: { body: jsonBody(updateAlertRequestSchema) },
    responses: { 200: jsonResponse(alertWithSecretSchema, 'The alert, with a secret if it got its first webhook') },
  },
  async (c, { rules }: AlertRouteDeps) => c.json(await rules.update(c.req.valid('json'), auditSource(c)), 200),
);

const rotateAlertSecret = defineOperation(
  'POST /v1/alerts/rotate-secret',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'rotateAlertSecret',
    tags: ['Alerts'],
    summary: 'Replace the secret of a webhook; it is shown once',
    request: { body: jsonBody(alertIdRequestSchema) },
    responses: { 200: jsonResponse(alertWithSecretSchema, 'The alert with its new secret') },
  },
  async (c, { rules }: AlertRouteDeps) => c.json(await rules.rotateSecret(c.req.valid('json').id, auditSource(c)), 200),
);

const testAlert = defineOperation(
  'POST /v1/alerts/test',
  {
    scope: 'deploy',
    errors: ['not_found'],
    operationId: 'testAlert',
    tags: ['Alerts'],
    summary: 'Send a test over every channel of an alert',
    request: { body: jsonBody(alertIdRequestSchema) },
    responses: { 200: jsonResponse(z.object({ id: z.string() }), 'The event, which is in the history') },
  },
  async (c, { rules }: AlertRouteDeps) =>
    c.json({ id: await rules.test(c.get('principal').accountId, c.req.valid('json').id) }, 200),
);

const deleteAlert = defineOperation(
  'DELETE /v1/alerts',
  {
    scope: 'deploy',
    errors: ['not_found'],
    operationId: 'deleteAlert',
    tags: ['Alerts'],
    summary: 'Remove an alert; its history stays',
    request: { query: alertIdRequestSchema },
    responses: { 200: jsonResponse(messageSchema, 'The alert is removed') },
  },
  async (c, { rules }: AlertRouteDeps) => {
    const { id } = c.req.valid('query');
    await rules.remove(id, auditSource(c));
    return c.json({ detail: `The alert ${id} is removed.` }, 200);
  },
);

const listAlertHistory = defineOperation(
  'GET /v1/alerts/history',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'listAlertHistory',
    tags: ['Alerts'],
    summary: 'List what fired and resolved, with the delivery of each notification',
    request: { query: alertHistoryQuerySchema },
    responses: { 200: jsonResponse(z.array(alertEventSchema), 'Newest first, of the last 90 days') },
  },
  async (c, { rules }: AlertRouteDeps) =>
    c.json(await rules.history(c.get('principal').accountId, c.req.valid('query')), 200),
);

/** Registers `/v1/alerts…`. */
export function registerAlertRoutes(api: Api, deps: AlertRouteDeps): void {
  for (const register of [
    listAlerts,
    createAlert,
    updateAlert,
    rotateAlertSecret,
    testAlert,
    deleteAlert,
    listAlertHistory,
  ]) {
    register(api, deps);
  }
}

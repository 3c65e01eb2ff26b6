import { deploymentDetailSchema, deploymentSchema, metricsRequestSchema, metricsSchema } from '@berth/contract';
import { z } from 'zod';
import { defineTool } from '../tool/tool.ts';
import { serviceName } from './service-name.ts';

const rowSchema = deploymentSchema.pick({
  ...{ name: true, url: true, status: true, kind: true, revision: true },
  ...{ instances: true, updated_at: true, last_deploy: true },
});

/** `list_services`. */
export const listServices = defineTool('list_services', {
  title: 'List services',
  description: 'Lists the services (deployments) of the account with their address, status and last deploy.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ services: z.array(rowSchema) }),
  run: async (_, { client, signal }) => ({
    fields: { services: await client.get('/v1/deployment/list', { signal }) },
  }),
});

/** `get_service`. */
export const getService = defineTool('get_service', {
  title: 'Get a service',
  description:
    'Returns a service: address, status, settings, missing variables and revisions, newest first. Roll back to a revision with rollback_service.',
  effect: 'read',
  input: z.object({ service: serviceName }),
  output: deploymentDetailSchema,
  run: async ({ service: name }, { client, signal }) => ({
    fields: await client.get('/v1/deployment/{name}', { params: { path: { name } }, signal }),
  }),
});

const { window, from, to } = metricsRequestSchema.shape;

/** `get_metrics`. */
export const getMetrics = defineTool('get_metrics', {
  title: 'Get metrics',
  description:
    'Returns requests, errors, latencies, instances, CPU and memory of a service over time. Steps without requests or instances are absent.',
  effect: 'read',
  input: z.object({
    service: serviceName,
    window: window.describe('Length of time that ends now'),
    from: from.describe('Start, RFC 3339, in place of window'),
    to: to.describe('End, RFC 3339; now by default'),
  }),
  output: metricsSchema,
  run: async ({ service: name, ...range }, { client, signal }) => ({
    fields: await client.get('/v1/deployment/metrics', { params: { query: { name, ...range } }, signal }),
  }),
});

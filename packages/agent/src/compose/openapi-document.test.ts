import { createApp } from '@berth/agent-core';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { expect, test } from 'vitest';
import { agentOpenApiDocument } from './openapi-document.ts';

test('paths are templates of OpenAPI, whatever the router calls them', () => {
  const app = createApp({ logger: createSilentLogger(), clock: createSystemClock(), ids: createIdSource() });
  const path = '/files/{path{.+}}';
  app.openAPIRegistry.registerPath({
    method: 'get',
    path,
    request: { params: z.object({ path: z.string() }) },
    responses: { 200: { description: 'ok' } },
  });
  expect(Object.keys(agentOpenApiDocument(app).paths ?? {})).toEqual(['/files/{path}']);
});

import { type AgentApp, type AgentAppContext, type RouteGuard, routesOf } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { createError } from '@berth/contract';
import {
  addMemorySchema,
  changeMemorySchema,
  memoriesSchema,
  memorySchema,
  memoryScopeSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { createMemory } from './create-memory.ts';

/** Dependencies of {@link registerMemoryRoutes}. */
export interface MemoryRouteDeps extends RouteGuard {
  readonly stores: Pick<AgentStores, 'memories'>;
  readonly clock: Clock;
}

const params = z.object({ id: z.string().max(64) });

/**
 * Registers the routes under `/memory`. They are there for every agent with sign-in, so that people can erase what an agent
 * remembered before its memory was turned off. Source: docs/contract/agent-api.md §13.
 */
export function registerMemoryRoutes(app: AgentApp, deps: MemoryRouteDeps): void {
  const route = routesOf(app, deps, 'Memory');
  const store = deps.stores.memories;
  const memoryOf = (c: AgentAppContext) =>
    createMemory({ store, clock: deps.clock, ownerKey: c.get('owner'), workspace: c.get('workspace'), by: 'user' });

  route('GET /memory', 'listMemories', {
    access: 'user',
    summary: 'List memories of the caller and of the team',
    responses: { 200: jsonResponse(memoriesSchema, "The caller's, then the team's, oldest first") },
  }).handle(async (c) => c.json([...(await memoryOf(c).list())], 200));

  route('POST /memory', 'addMemory', {
    access: 'user',
    errors: ['conflict'],
    summary: 'Add a memory',
    request: { body: jsonBody(addMemorySchema) },
    responses: { 200: jsonResponse(memorySchema, 'Used from the next message on') },
  }).handle(async (c) => {
    const { text, scope } = c.req.valid('json');
    return c.json(await memoryOf(c).add(text, scope), 200);
  });

  route('PUT /memory/{id}', 'putMemory', {
    access: 'user',
    errors: ['not_found'],
    summary: 'Change a memory',
    request: { params, body: jsonBody(changeMemorySchema) },
    responses: { 200: jsonResponse(memorySchema, 'Changed') },
  }).handle(async (c) => {
    return c.json(await memoryOf(c).change(c.req.valid('param').id, c.req.valid('json').text), 200);
  });

  route('DELETE /memory/{id}', 'deleteMemory', {
    access: 'user',
    errors: ['not_found'],
    summary: 'Delete a memory',
    request: { params },
    responses: { 200: jsonResponse(z.object({ ok: z.literal(true) }), 'Erased') },
  }).handle(async (c) => {
    await memoryOf(c).remove(c.req.valid('param').id);
    return c.json({ ok: true as const }, 200);
  });

  route('DELETE /memory', 'eraseMemory', {
    access: 'user',
    errors: ['forbidden'],
    summary: 'Delete all memories',
    request: { query: z.object({ scope: memoryScopeSchema.default('person') }) },
    responses: { 200: jsonResponse(z.object({ ok: z.literal(true), removed: z.int() }), 'Erased') },
  }).handle(async (c) => {
    const { scope } = c.req.valid('query');
    if (scope === 'team' && c.get('workspace').role === 'editor') {
      throw createError(
        'forbidden',
        "Only the team's owner and admins can delete all of its memories. Delete single entries instead.",
      );
    }
    return c.json({ ok: true as const, removed: await memoryOf(c).erase(scope) }, 200);
  });
}

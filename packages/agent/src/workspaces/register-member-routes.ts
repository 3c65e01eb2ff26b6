import { type AgentApp, type AgentAppContext, pathAfter, type RouteGuard, rawPath, routesOf } from '@berth/agent-core';
import {
  memberParamsSchema,
  okSchema,
  putMemberSchema,
  workspaceMemberSchema,
  workspaceMembersSchema,
  workspaceParamsSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import type { WorkspaceRegistry } from './create-workspace-registry.ts';

/** Registers the routes for the members of a workspace. Source: docs/contract/agent-api.md §7, "members". */
export function registerMemberRoutes(app: AgentApp, guard: RouteGuard, registry: WorkspaceRegistry): void {
  const route = routesOf(app, guard, 'Workspaces');
  const path = '/workspaces/{id}/members/{user_id}';

  route('GET /workspaces/{id}/members', 'listWorkspaceMembers', {
    access: 'person',
    errors: ['not_found'],
    summary: 'Who is in it; of General who was taken out of it',
    request: { params: workspaceParamsSchema },
    responses: { 200: jsonResponse(workspaceMembersSchema, 'In the order in which they came') },
  }).handle(async (c) => c.json([...(await registry.members(c.get('user')!, c.req.valid('param').id))], 200));

  route(`PUT ${path}`, 'putWorkspaceMember', {
    access: 'person',
    errors: ['forbidden', 'not_found'],
    summary: 'Add somebody, or change their role: its owner and its admins',
    request: { params: memberParamsSchema, body: jsonBody(putMemberSchema) },
    responses: { 200: jsonResponse(workspaceMemberSchema, 'What they are now') },
  }).handle(async (c) => {
    const { id } = c.req.valid('param');
    return c.json(await registry.putMember(c.get('user')!, id, userIdOf(c), c.req.valid('json').role), 200);
  });

  route(`DELETE ${path}`, 'deleteWorkspaceMember', {
    access: 'person',
    errors: ['forbidden', 'not_found'],
    summary: 'Take somebody out, or leave',
    request: { params: memberParamsSchema },
    responses: { 200: jsonResponse(okSchema, 'They are not in it') },
  }).handle(async (c) => {
    await registry.removeMember(c.get('user')!, c.req.valid('param').id, userIdOf(c));
    return c.json({ ok: true as const }, 200);
  });
}

/**
 * Returns the last segment of the path, decoded.
 * @throws `invalid` for bytes that aren't UTF-8, which the router doesn't reject.
 */
function userIdOf(c: AgentAppContext): string {
  const path = rawPath(c);
  return pathAfter(c, path.slice(0, path.lastIndexOf('/') + 1));
}

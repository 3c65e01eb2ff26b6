import { type AgentApp, type AgentAppContext, pathAfter, type RouteGuard, rawPath, routesOf } from '@berth/agent-core';
import {
  createWorkspaceSchema,
  findPeopleQuerySchema,
  listWorkspacesQuerySchema,
  memberParamsSchema,
  meSchema,
  okSchema,
  patchWorkspaceSchema,
  peopleSchema,
  putMemberSchema,
  workspaceMemberSchema,
  workspaceMembersSchema,
  workspaceParamsSchema,
  workspaceSchema,
  workspacesSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { personView, type WorkspaceRegistry } from './create-workspace-registry.ts';

/** Dependencies of {@link registerWorkspaceRoutes}. */
export interface WorkspaceRouteDeps extends RouteGuard {
  /** Undefined for an agent without teams, which has none of these routes. */
  readonly registry: WorkspaceRegistry | undefined;
}

/** Registers `GET /me`, and the routes for workspaces and their members where the agent has teams. Source: docs/contract/agent-api.md §7. */
export function registerWorkspaceRoutes(app: AgentApp, deps: WorkspaceRouteDeps): void {
  const route = routesOf(app, deps, 'Workspaces');
  const { registry } = deps;

  route('GET /me', 'getMe', {
    access: 'person',
    summary: 'Get the signed-in person',
    description: 'Name, e-mail address and picture are there if the token or the identity provider tells them.',
    responses: { 200: jsonResponse(meSchema, 'The caller') },
  }).handle((c) => {
    const { picture, orgId, orgSlug, ...user } = c.get('user')!;
    const org = { ...(orgId !== undefined && { org_id: orgId }), ...(orgSlug !== undefined && { org_slug: orgSlug }) };
    return c.json({ ...personView(user), ...(picture !== undefined && { picture }), ...org }, 200);
  });

  if (!registry) return;

  route('GET /people', 'findPeople', {
    access: 'person',
    summary: 'Find people to add to a team',
    description:
      "People of the caller's organization who have used the agent, by a part of their name or e-mail address, at most 20. " +
      'Empty for callers without an organization.',
    request: { query: findPeopleQuerySchema },
    responses: { 200: jsonResponse(peopleSchema, 'Possibly empty') },
  }).handle(async (c) => c.json([...(await registry.findPeople(c.get('user')!, c.req.valid('query').q))], 200));

  route('GET /workspace', 'getWorkspace', {
    access: 'user',
    summary: 'Get the active workspace: the personal one, or that of X-Workspace',
    responses: { 200: jsonResponse(workspaceSchema, "The workspace with the caller's role") },
  }).handle(async (c) => c.json(await registry.get(c.get('user')!, c.get('workspace').id), 200));

  route('GET /workspaces', 'listWorkspaces', {
    access: 'person',
    summary: "List the caller's workspaces",
    request: { query: listWorkspacesQuerySchema },
    responses: { 200: jsonResponse(workspacesSchema, 'The personal workspace, General, then by age') },
  }).handle(async (c) => {
    const isAll = c.req.valid('query').all ?? false;
    return c.json([...(await registry.list(c.get('user')!, { isAll }))], 200);
  });

  route('POST /workspaces', 'createWorkspace', {
    access: 'person',
    errors: ['forbidden', 'conflict'],
    summary: 'Create a team workspace owned by the caller',
    request: { body: jsonBody(createWorkspaceSchema) },
    responses: { 200: jsonResponse(workspaceSchema, 'It is there') },
  }).handle(async (c) => c.json(await registry.create(c.get('user')!, c.req.valid('json')), 200));

  route('PATCH /workspaces/{id}', 'patchWorkspace', {
    access: 'person',
    errors: ['forbidden', 'not_found', 'conflict'],
    summary: 'Change name or icon; for its owner and admins of the organization',
    request: { params: workspaceParamsSchema, body: jsonBody(patchWorkspaceSchema) },
    responses: { 200: jsonResponse(workspaceSchema, 'As it is now') },
  }).handle(async (c) => {
    const workspace = await registry.patch(c.get('user')!, c.req.valid('param').id, c.req.valid('json'));
    return c.json(workspace, 200);
  });

  route('DELETE /workspaces/{id}', 'deleteWorkspace', {
    access: 'person',
    errors: ['forbidden', 'not_found'],
    summary: 'Permanently delete a workspace and its contents; for its owner and admins of the organization',
    request: { params: workspaceParamsSchema },
    responses: { 200: jsonResponse(okSchema, 'The workspace is deleted') },
  }).handle(async (c) => {
    await registry.remove(c.get('user')!, c.req.valid('param').id);
    return c.json({ ok: true as const }, 200);
  });

  route('GET /workspaces/{id}/members', 'listWorkspaceMembers', {
    access: 'person',
    errors: ['not_found'],
    summary: 'List members; for General also removed members',
    request: { params: workspaceParamsSchema },
    responses: { 200: jsonResponse(workspaceMembersSchema, 'In the order of joining') },
  }).handle(async (c) => c.json([...(await registry.members(c.get('user')!, c.req.valid('param').id))], 200));

  route('PUT /workspaces/{id}/members/{user_id}', 'putWorkspaceMember', {
    access: 'person',
    errors: ['forbidden', 'not_found'],
    summary: 'Add a member or change their role; for its owner and admins',
    request: { params: memberParamsSchema, body: jsonBody(putMemberSchema) },
    responses: { 200: jsonResponse(workspaceMemberSchema, 'The updated member') },
  }).handle(async (c) => {
    const { id } = c.req.valid('param');
    return c.json(await registry.putMember(c.get('user')!, id, userIdOf(c), c.req.valid('json').role), 200);
  });

  route('DELETE /workspaces/{id}/members/{user_id}', 'deleteWorkspaceMember', {
    access: 'person',
    errors: ['forbidden', 'not_found'],
    summary: 'Remove a member, or leave',
    request: { params: memberParamsSchema },
    responses: { 200: jsonResponse(okSchema, 'The person is not a member') },
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

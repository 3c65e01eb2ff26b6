import {
  memberParamsSchema,
  okSchema,
  putMemberSchema,
  workspaceMemberSchema,
  workspaceMembersSchema,
  workspaceParamsSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import type { AgentApp } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { defineRoute } from '../http/define-route.ts';
import type { WorkspaceRegistry } from './workspace-registry.ts';

/** Who is in a workspace. Source: spec agent-api 7, "members". */
export function registerMemberRoutes(
  app: AgentApp,
  deps: AgentDeps,
  registry: WorkspaceRegistry,
  tags: string[],
): void {
  const path = '/workspaces/{id}/members/{user_id}';

  app.openapi(
    defineRoute({ access: 'person', errors: ['not_found'] }, deps, {
      method: 'get',
      path: '/workspaces/{id}/members',
      operationId: 'listWorkspaceMembers',
      tags,
      summary: 'Who is in it; of General who was taken out of it',
      request: { params: workspaceParamsSchema },
      responses: { 200: jsonResponse(workspaceMembersSchema, 'In the order in which they came') },
    }),
    async (c) => c.json([...(await registry.members(c.get('user')!, c.req.valid('param').id))], 200),
  );

  app.openapi(
    defineRoute({ access: 'person', errors: ['forbidden', 'not_found'] }, deps, {
      method: 'put',
      path,
      operationId: 'putWorkspaceMember',
      tags,
      summary: 'Add somebody, or change their role: its owner and its admins',
      request: { params: memberParamsSchema, body: jsonBody(putMemberSchema) },
      responses: { 200: jsonResponse(workspaceMemberSchema, 'What they are now') },
    }),
    async (c) => {
      const { id, user_id } = c.req.valid('param');
      return c.json(await registry.putMember(c.get('user')!, id, user_id, c.req.valid('json').role), 200);
    },
  );

  app.openapi(
    defineRoute({ access: 'person', errors: ['forbidden', 'not_found'] }, deps, {
      method: 'delete',
      path,
      operationId: 'deleteWorkspaceMember',
      tags,
      summary: 'Take somebody out, or leave',
      request: { params: memberParamsSchema },
      responses: { 200: jsonResponse(okSchema, 'They are not in it') },
    }),
    async (c) => {
      const { id, user_id } = c.req.valid('param');
      await registry.removeMember(c.get('user')!, id, user_id);
      return c.json({ ok: true as const }, 200);
    },
  );
}

import { type ActiveWorkspace, type AgentApp, type RouteGuard, routesOf, type Tool } from '@berth/agent-core';
import type { StoredApproval } from '@berth/agent-store';
import { createError } from '@berth/contract';
import {
  AGENT_LIMITS,
  chatIdSchema,
  type DecideApproval,
  decideApprovalSchema,
  decidedApprovalSchema,
  inboxSchema,
  type WaitingApproval,
  waitingApprovalsSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { checkChangedArgs } from './check-args.ts';
import { type DecideApprovalDeps, decideApproval } from './decide-approval.ts';
import { parseTurnRequest } from './turn-request.ts';

const keySchema = z.string().min(1).max(128);

export interface ApprovalRouteDeps extends RouteGuard, DecideApprovalDeps {
  /** See `ApprovalOptions.approvers`. */
  readonly approvers: 'self' | 'admins' | undefined;
  /** The tools of an agent with the built-in loop; empty for one with a handler of its own. */
  readonly ownTools: { readonly tools?: readonly Tool[] };
}

/** Registers the routes to list calls that wait for approval, and to decide on them. Source: docs/contract/agent-api.md §2, "Approvals". */
export function registerApprovalRoutes(app: AgentApp, deps: ApprovalRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  const { approvals } = deps.stores;

  // For a page that was reloaded before its person decided.
  route('GET /chats/{id}/approvals', 'listWaitingApprovals', {
    access: 'turn',
    summary: 'List pending tool calls of a chat',
    request: { params: z.object({ id: chatIdSchema }) },
    responses: { 200: jsonResponse(waitingApprovalsSchema, 'Empty without pending calls') },
  }).handle(async (c) => {
    // Without sign-in only the turn itself hands out keys: the chat's id alone must not be enough.
    if (!c.get('user')) return c.json([], 200);
    const waiting = await approvals.listWaiting(c.get('owner'), c.req.valid('param').id, deps.clock.nowMs());
    return c.json(waiting.map(toWaiting), 200);
  });

  route('POST /chats/{id}/approvals/{key}', 'decideApproval', {
    access: 'turn',
    errors: ['not_found', 'conflict'],
    summary: 'Approve or deny a tool call',
    description:
      'An approved call runs once, with `args` instead of the shown arguments if given; the model is told about a denied call. ' +
      'When all calls of the chat are decided, the answer continues immediately as the run `run`: follow it with `GET /chats/{id}/stream`. ' +
      "With `resume: false`, and for an agent that can't continue on its own, it continues with the next message.  `always` also lets the tool " +
      'run without approval until its definition changes; 409 if you have since set it to never.',
    request: {
      params: z.object({ id: chatIdSchema, key: keySchema }),
      body: jsonBody(decideApprovalSchema),
    },
    responses: { 200: jsonResponse(decidedApprovalSchema, 'It is decided') },
  }).handle(async (c) => {
    const { id, key } = c.req.valid('param');
    const owner = c.get('owner');
    const approval = await approvals.find(owner, id, key);
    const body = c.req.valid('json');
    checkArgs(approval, body, deps);
    return c.json(await decideApproval(deps, { approval, owner, by: c.get('user') }, body), 200);
  });

  // Without sign-in nothing is kept of anyone.
  if (deps.authenticator) registerInboxRoutes(app, deps);
}

/** Registers the routes over all chats. */
function registerInboxRoutes(app: AgentApp, deps: ApprovalRouteDeps): void {
  const route = routesOf(app, deps, 'Approvals');
  const { approvals } = deps.stores;
  /** Owners and admins of a team decide for its members, where the agent's owner wants that. */
  const isApprover = ({ type, role }: ActiveWorkspace) =>
    deps.approvers === 'admins' && type === 'team' && (role === 'owner' || role === 'admin');

  route('GET /approvals', 'listApprovals', {
    access: 'user',
    errors: ['forbidden'],
    summary: 'List pending tool calls of all chats',
    description: `The caller's calls in the active workspace, next to expire first, at most ${AGENT_LIMITS.inbox}. With \`scope=workspace\` calls of all members, for owners and admins if the agent has \`approvals: { approvers: 'admins' }\`.`,
    request: { query: z.object({ scope: z.enum(['mine', 'workspace']).default('mine') }) },
    responses: { 200: jsonResponse(inboxSchema, 'Empty without pending calls') },
  }).handle(async (c) => {
    const workspace = c.get('workspace');
    const isAll = c.req.valid('query').scope === 'workspace';
    if (isAll && !isApprover(workspace)) {
      throw createError(
        'forbidden',
        "Only owners and admins of a team can see its members' pending calls, and only if the agent allows them to decide.",
      );
    }
    const of = isAll ? { workspace: workspace.key } : { owner: c.get('owner') };
    const waiting = await approvals.listAllWaiting(of, deps.clock.nowMs(), AGENT_LIMITS.inbox);
    return c.json(
      waiting.map((approval) => ({
        ...toWaiting(approval),
        ...{ chat_id: approval.chatId, chat_title: approval.chatTitle },
        ...(isAll && approval.request !== undefined && { user_id: parseTurnRequest(approval.request).user.id }),
      })),
      200,
    );
  });

  route('POST /approvals/{key}', 'decideListedApproval', {
    access: 'user',
    errors: ['not_found', 'conflict', 'forbidden'],
    summary: 'Approve or deny a tool call by its key',
    description:
      'As `POST /chats/{id}/approvals/{key}`, also for calls of other members that `GET /approvals?scope=workspace` lists: those run as ' +
      'the person who was asked, and `always` is reserved to that person.',
    request: { params: z.object({ key: keySchema }), body: jsonBody(decideApprovalSchema) },
    responses: { 200: jsonResponse(decidedApprovalSchema, 'It is decided') },
  }).handle(async (c) => {
    const body = c.req.valid('json');
    const found = await approvals.findWaiting(c.req.valid('param').key, deps.clock.nowMs());
    const workspace = c.get('workspace');
    const isMine = found?.owner === c.get('owner');
    const approval = isMine || (isApprover(workspace) && found?.workspace === workspace.key) ? found : undefined;
    if (approval && !isMine && body.decision === 'always') {
      throw createError(
        'forbidden',
        'Only the person who was asked can always allow a tool. Approve or deny this call.',
      );
    }
    checkArgs(approval, body, deps);
    const owner = approval?.owner ?? c.get('owner');
    return c.json(await decideApproval(deps, { approval, owner, by: c.get('user') }, body), 200);
  });
}

/** Refuses changed arguments that the tool doesn't take, without spending the approval. */
function checkArgs(
  approval: StoredApproval | undefined,
  { args, decision }: DecideApproval,
  { ownTools }: ApprovalRouteDeps,
): void {
  if (args && approval && decision !== 'deny') checkChangedArgs(approval, args, ownTools.tools);
}

function toWaiting({ tool, settingKey, key, label, args, expiresAtMs }: StoredApproval): WaitingApproval {
  return {
    tool,
    key,
    label,
    args: JSON.parse(args) as Record<string, unknown>,
    // The key of a connector's tool begins with its name.
    ...(settingKey?.includes('/') && { connector: settingKey.split('/', 1)[0] as string }),
    expires_at: new Date(expiresAtMs).toISOString(),
  };
}

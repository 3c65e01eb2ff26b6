import { type AgentApp, canonicalJson, type RouteGuard, routesOf, type Tool } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { createError } from '@berth/contract';
import {
  chatIdSchema,
  decideApprovalSchema,
  decidedApprovalSchema,
  waitingApprovalsSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { checkChangedArgs } from './check-args.ts';

const MAX_KEY = 128;

export interface ApprovalRouteDeps extends RouteGuard {
  readonly stores: Pick<AgentStores, 'approvals' | 'settings'>;
  readonly clock: Clock;
  /** The tools of an agent with the built-in loop; empty for one with a handler of its own. */
  readonly ownTools: { readonly tools?: readonly Tool[] };
}

/** Registers the routes to list calls that wait for approval, and to decide on them. Source: docs/contract/agent-api.md §2, "Approvals". */
export function registerApprovalRoutes(app: AgentApp, deps: ApprovalRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  const { approvals, settings } = deps.stores;

  // For a page that was reloaded before its person decided.
  route('GET /chats/{id}/approvals', 'listWaitingApprovals', {
    access: 'turn',
    summary: 'Calls of tools that wait for my decision',
    request: { params: z.object({ id: chatIdSchema }) },
    responses: { 200: jsonResponse(waitingApprovalsSchema, 'Empty when nothing waits') },
  }).handle(async (c) => {
    // Without sign-in only the turn itself hands out keys: the chat's id alone must not be enough.
    if (!c.get('user')) return c.json([], 200);
    const waiting = await approvals.listWaiting(c.get('owner'), c.req.valid('param').id, deps.clock.nowMs());
    return c.json(
      waiting.map(({ tool, settingKey, key, label, args, expiresAtMs }) => ({
        tool,
        key,
        label,
        args: JSON.parse(args) as Record<string, unknown>,
        // The key of a connector's tool begins with its name.
        ...(settingKey?.includes('/') && { connector: settingKey.split('/', 1)[0] as string }),
        expires_at: new Date(expiresAtMs).toISOString(),
      })),
      200,
    );
  });

  route('POST /chats/{id}/approvals/{key}', 'decideApproval', {
    access: 'turn',
    errors: ['not_found', 'conflict'],
    summary: 'Decide on a call of a tool that asks',
    description:
      'What is approved runs once, with `args` in place of what was shown where they are given, at the start of the next turn of the chat; of what is denied the model is told then. `always` also lets the tool run without asking from now on, until its definition changes; 409 when you set it to never meanwhile.',
    request: {
      params: z.object({ id: chatIdSchema, key: z.string().min(1).max(MAX_KEY) }),
      body: jsonBody(decideApprovalSchema),
    },
    responses: { 200: jsonResponse(decidedApprovalSchema, 'It is decided') },
  }).handle(async (c) => {
    const { id, key } = c.req.valid('param');
    const { decision, args } = c.req.valid('json');
    const owner = c.get('owner');
    const nowMs = deps.clock.nowMs();
    const approval = await approvals.find(owner, id, key);
    const setting = approval && (approval.settingKey ?? approval.tool);
    if (decision === 'always' && setting !== undefined && c.get('user')) {
      const modes = await settings.toolModes(owner);
      if (Object.hasOwn(modes, setting) && modes[setting] === 'never')
        throw createError('conflict', 'You said meanwhile that this tool never runs. Change that first.');
    }
    if (args && approval && decision !== 'deny') checkChangedArgs(approval, args, deps.ownTools.tools);
    const isDecided =
      approval &&
      (decision === 'deny'
        ? await approvals.decide(owner, id, key, 'deny', nowMs)
        : await approvals.decide(owner, id, key, 'approve', nowMs, args && canonicalJson(args)));
    // Unknown, foreign, used, decided and expired keys get the same answer.
    if (!isDecided) throw createError('not_found', 'Nothing waits for this decision. Ask the agent again.');
    // Nothing is stored for callers who did not sign in.
    if (decision === 'always' && setting !== undefined && c.get('user'))
      await settings.setToolMode(owner, setting, 'allow', approval.definitionHash);
    return c.json({ ok: true as const, tool: approval.tool, decision }, 200);
  });
}

import { z } from '@hono/zod-openapi';
import { AGENT_LIMITS } from './limits.ts';

/** The decisions on a tool call that needs approval. `always` also sets the tool's mode to `allow`. */
export const APPROVAL_DECISIONS = ['approve', 'deny', 'always'] as const;

/** Body of `POST /chats/{id}/approvals/{key}`. Source: docs/contract/agent-api.md §2, "Approvals". */
export const decideApprovalSchema = z
  .object({
    decision: z.enum(APPROVAL_DECISIONS),
    /** Arguments that replace the proposed ones; absent when the person didn't edit them. */
    args: z.record(z.string(), z.unknown()).optional(),
    /** Why, in the person's words. Recorded in the chat; the model is told why a call was denied. */
    reason: z.string().trim().min(1).max(AGENT_LIMITS.approvalReasonCharacters).optional(),
    /** False: the decision takes effect with the chat's next message. */
    resume: z.boolean().default(true),
  })
  .openapi('DecideApproval');

export type DecideApproval = z.infer<typeof decideApprovalSchema>;

/** Response of `POST /chats/{id}/approvals/{key}`. */
export const decidedApprovalSchema = z
  .object({
    ok: z.literal(true),
    tool: z.string(),
    decision: z.enum(APPROVAL_DECISIONS),
    /** Id of the run in which the answer goes on now; null while other calls wait, and when it goes on with the next message. */
    run: z.string().nullable(),
  })
  .openapi('DecidedApproval');

export type DecidedApproval = z.infer<typeof decidedApprovalSchema>;

/** A tool call that waits for a decision, as in the `confirm` frame. */
export const waitingApprovalSchema = z
  .object({
    tool: z.string(),
    key: z.string(),
    label: z.string(),
    args: z.record(z.string(), z.unknown()),
    /** The connector of the tool; absent for the agent's own tools. */
    connector: z.string().optional(),
    expires_at: z.iso.datetime(),
  })
  .openapi('WaitingApproval');

export type WaitingApproval = z.infer<typeof waitingApprovalSchema>;

/** Response of `GET /chats/{id}/approvals`. */
export const waitingApprovalsSchema = z.array(waitingApprovalSchema);

/** A row of `GET /approvals`: a call that waits for a decision, with its place. */
export const inboxApprovalSchema = waitingApprovalSchema
  .extend({
    chat_id: z.string(),
    chat_title: z.string(),
    /** Id of the person whose turn it is, in a list of the whole workspace. */
    user_id: z.string().optional(),
  })
  .openapi('InboxApproval');

export type InboxApproval = z.infer<typeof inboxApprovalSchema>;

/** Response of `GET /approvals`. */
export const inboxSchema = z.array(inboxApprovalSchema);

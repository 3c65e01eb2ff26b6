import { z } from '@hono/zod-openapi';

/** The decisions on a tool call that needs approval. `always` also sets the tool's mode to `allow`. */
export const APPROVAL_DECISIONS = ['approve', 'deny', 'always'] as const;

/** Body of `POST /chats/{id}/approvals/{key}`. Source: docs/contract/agent-api.md §2, "Approvals". */
export const decideApprovalSchema = z
  .object({
    decision: z.enum(APPROVAL_DECISIONS),
    /** Arguments that replace the proposed ones; absent when the person didn't edit them. */
    args: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi('DecideApproval');

/** Response of `POST /chats/{id}/approvals/{key}`. The call runs at the start of the chat's next turn. */
export const decidedApprovalSchema = z
  .object({ ok: z.literal(true), tool: z.string(), decision: z.enum(APPROVAL_DECISIONS) })
  .openapi('DecidedApproval');

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

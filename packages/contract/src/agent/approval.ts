import { z } from '@hono/zod-openapi';

/** What a person says to a call of a tool that asks; `always` also sets the tool's mode to `allow`. */
export const APPROVAL_DECISIONS = ['approve', 'deny', 'always'] as const;

export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** Body of `POST /chats/{id}/approvals/{key}`. Source: docs/contract/agent-api.md §2, "Approvals". */
export const decideApprovalSchema = z
  .object({
    decision: z.enum(APPROVAL_DECISIONS),
    /** What the tool is given in place of what was shown, where the person changed it. */
    args: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi('DecideApproval');

/** Its answer. The call runs at the start of the chat's next turn. */
export const decidedApprovalSchema = z
  .object({ ok: z.literal(true), tool: z.string(), decision: z.enum(APPROVAL_DECISIONS) })
  .openapi('DecidedApproval');

/** A call that waits for a decision, as the `confirm` frame had it. */
export const waitingApprovalSchema = z
  .object({
    tool: z.string(),
    key: z.string(),
    label: z.string(),
    args: z.record(z.string(), z.unknown()),
    /** Of a tool of a connector. */
    connector: z.string().optional(),
    expires_at: z.iso.datetime(),
  })
  .openapi('WaitingApproval');

export type WaitingApproval = z.infer<typeof waitingApprovalSchema>;

/** Answer of `GET /chats/{id}/approvals`. */
export const waitingApprovalsSchema = z.array(waitingApprovalSchema);

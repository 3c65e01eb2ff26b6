import type { Selectable } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { ApprovalsTable } from '../database/schema.ts';
import type { ApprovalStore, StoredApproval } from '../ports/approval-store.ts';

/** Creates the store of approvals. */
export function createApprovalStore({ db }: AgentDatabase): ApprovalStore {
  return {
    async add(owner, approval) {
      await db
        .insertInto('approvals')
        .values({
          owner,
          key: approval.key,
          chat_id: approval.chatId,
          call_id: approval.callId,
          tool: approval.tool,
          setting_key: approval.settingKey ?? null,
          label: approval.label,
          args: approval.args,
          definition_hash: approval.definitionHash,
          expires_at: approval.expiresAtMs,
          decision: approval.decision ?? null,
        })
        .execute();
    },
    async find(owner, chatId, key) {
      const row = await db
        .selectFrom('approvals')
        .selectAll()
        .where('owner', '=', owner)
        .where('chat_id', '=', chatId)
        .where('key', '=', key)
        .executeTakeFirst();
      return row && toApproval(row);
    },
    async decide(owner, chatId, key, decision, nowMs, args) {
      const { numUpdatedRows } = await db
        .updateTable('approvals')
        .set({ decision, ...(args !== undefined && { args }) })
        .where('owner', '=', owner)
        .where('chat_id', '=', chatId)
        .where('key', '=', key)
        .where('decision', 'is', null)
        .where('expires_at', '>', nowMs)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async listWaiting(owner, chatId, nowMs) {
      const rows = await db
        .selectFrom('approvals')
        .selectAll()
        .where('owner', '=', owner)
        .where('chat_id', '=', chatId)
        .where('decision', 'is', null)
        .where('expires_at', '>', nowMs)
        .orderBy('expires_at')
        .orderBy('key')
        .execute();
      return rows.map(toApproval);
    },
    async listDecided(owner, chatId, nowMs) {
      const rows = await db
        .selectFrom('approvals')
        .selectAll()
        .where('owner', '=', owner)
        .where('chat_id', '=', chatId)
        .where('decision', 'is not', null)
        .where('expires_at', '>', nowMs)
        .orderBy('key')
        .execute();
      return rows.map(toApproval);
    },
    async take(owner, chatId, key, nowMs) {
      const row = await db
        .deleteFrom('approvals')
        .where('owner', '=', owner)
        .where('chat_id', '=', chatId)
        .where('key', '=', key)
        .where('expires_at', '>', nowMs)
        .returningAll()
        .executeTakeFirst();
      return row && toApproval(row);
    },
    async purge(nowMs) {
      await db.deleteFrom('approvals').where('expires_at', '<=', nowMs).execute();
    },
  };
}

function toApproval(row: Selectable<ApprovalsTable>): StoredApproval {
  return {
    key: row.key,
    chatId: row.chat_id,
    callId: row.call_id,
    tool: row.tool,
    ...(row.setting_key !== null && { settingKey: row.setting_key }),
    label: row.label,
    args: row.args,
    definitionHash: row.definition_hash,
    expiresAtMs: row.expires_at,
    ...(row.decision !== null && { decision: row.decision as 'approve' | 'deny' }),
  };
}

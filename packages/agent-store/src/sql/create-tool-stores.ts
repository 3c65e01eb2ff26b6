import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { AgentStores } from '../ports/agent-stores.ts';
import type { PlacedApproval, StoredApproval } from '../ports/approval-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { insertMessages } from './message-rows.ts';

/** Creates the stores of tools: users' settings and the approvals of calls. */
export function createToolStores(database: AgentDatabase): Pick<AgentStores, 'settings' | 'approvals'> {
  const { db } = database;
  /** Selects pending approvals that have not expired, with the titles of their chats. */
  const waiting = (nowMs: number) =>
    db
      .selectFrom('approvals')
      .leftJoin('chats', (join) =>
        join.onRef('chats.owner', '=', 'approvals.owner').onRef('chats.id', '=', 'approvals.chat_id'),
      )
      .selectAll('approvals')
      .select('chats.title as chat_title')
      .where('approvals.decision', 'is', null)
      .where('approvals.expires_at', '>', nowMs)
      .where('chats.deleted_at', 'is', null);
  /** Selects approvals of a chat that have not expired. */
  const valid = (owner: OwnerKey, chatId: string, nowMs: number) =>
    db
      .selectFrom('approvals')
      .selectAll()
      .where((eb) => eb.and({ owner, chat_id: chatId }))
      .where('expires_at', '>', nowMs);
  return {
    settings: {
      async toolModes(owner) {
        const rows = await db.selectFrom('tool_modes').select(['tool', 'mode']).where('owner', '=', owner).execute();
        return Object.fromEntries(rows.map(({ tool, mode }) => [tool, mode]));
      },
      async setToolMode(owner, tool, mode, definitionHash) {
        const set = { mode, definition_hash: definitionHash ?? null };
        await db
          .insertInto('tool_modes')
          .values({ owner, tool, ...set })
          .onConflict((conflict) => conflict.columns(['owner', 'tool']).doUpdateSet(set))
          .execute();
      },
      async toolDefinitions(owner) {
        const query = db.selectFrom('tool_modes').select(['tool', 'definition_hash']).where('owner', '=', owner);
        const rows = await query
          .where('definition_hash', 'is not', null)
          .$narrowType<{ definition_hash: string }>()
          .execute();
        return Object.fromEntries(rows.map(({ tool, definition_hash }) => [tool, definition_hash]));
      },
      async clearToolMode(owner, tool) {
        await db.deleteFrom('tool_modes').where('owner', '=', owner).where('tool', '=', tool).execute();
      },
    },

    approvals: {
      async add(owner, approval) {
        const {
          key,
          chatId,
          callId,
          tool,
          settingKey,
          label,
          args,
          definitionHash,
          inputSchema,
          expiresAtMs,
          decision,
        } = approval;
        await db
          .insertInto('approvals')
          .values({
            owner,
            key,
            chat_id: chatId,
            call_id: callId,
            tool,
            setting_key: settingKey ?? null,
            label,
            args,
            definition_hash: definitionHash,
            input_schema: inputSchema ?? null,
            expires_at: expiresAtMs,
            decision: decision ?? null,
            workspace: approval.workspace ?? null,
            request: approval.request ?? null,
            reason: approval.reason ?? null,
          })
          .execute();
      },
      async find(owner, chatId, key) {
        const row = await db
          .selectFrom('approvals')
          .selectAll()
          .where((eb) => eb.and({ owner, chat_id: chatId, key }))
          .executeTakeFirst();
        return row && toApproval(row);
      },
      async findWaiting(key, nowMs) {
        const row = await waiting(nowMs).where('approvals.key', '=', key).executeTakeFirst();
        return row && toPlaced(row);
      },
      decide: (owner, chatId, key, { decision, nowMs, args, reason, message }) =>
        db.transaction().execute(async (transaction) => {
          const { numUpdatedRows } = await transaction
            .updateTable('approvals')
            .set({ decision, ...(args !== undefined && { args }), ...(reason !== undefined && { reason }) })
            .where((eb) => eb.and({ owner, chat_id: chatId, key }))
            .where('decision', 'is', null)
            .where('expires_at', '>', nowMs)
            .executeTakeFirst();
          if (numUpdatedRows === 0n) return false;
          if (message) await insertMessages(transaction, owner, chatId, [message], nowMs);
          return true;
        }),
      async listAllWaiting(of, nowMs, limit) {
        const all = waiting(nowMs);
        const some =
          'owner' in of
            ? all.where('approvals.owner', '=', of.owner)
            : all.where('approvals.workspace', '=', of.workspace);
        const rows = await some.orderBy('approvals.expires_at').orderBy('approvals.key').limit(limit).execute();
        return rows.map(toPlaced);
      },
      async listWaiting(owner, chatId, nowMs) {
        const query = valid(owner, chatId, nowMs).where('decision', 'is', null);
        return (await query.orderBy('expires_at').orderBy('key').execute()).map(toApproval);
      },
      async listDecided(owner, chatId, nowMs) {
        const query = valid(owner, chatId, nowMs).where('decision', 'is not', null);
        return (await query.orderBy('key').execute()).map(toApproval);
      },
      async take(owner, chatId, key, nowMs) {
        const row = await db
          .deleteFrom('approvals')
          .where((eb) => eb.and({ owner, chat_id: chatId, key }))
          .where('expires_at', '>', nowMs)
          .returningAll()
          .executeTakeFirst();
        return row && toApproval(row);
      },
      async purge(nowMs) {
        await db.deleteFrom('approvals').where('expires_at', '<=', nowMs).execute();
      },
    },
  };
}

function toApproval(row: AgentSchema['approvals']): StoredApproval {
  return {
    key: row.key,
    chatId: row.chat_id,
    callId: row.call_id,
    tool: row.tool,
    ...(row.setting_key !== null && { settingKey: row.setting_key }),
    label: row.label,
    args: row.args,
    definitionHash: row.definition_hash,
    ...(row.input_schema !== null && { inputSchema: row.input_schema }),
    expiresAtMs: row.expires_at,
    ...(row.decision !== null && { decision: row.decision }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.workspace !== null && { workspace: row.workspace }),
    ...(row.request !== null && { request: row.request }),
  };
}

function toPlaced(row: AgentSchema['approvals'] & { readonly chat_title: string | null }): PlacedApproval {
  return { ...toApproval(row), owner: row.owner, chatTitle: row.chat_title ?? '' };
}

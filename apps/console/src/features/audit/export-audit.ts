import type { Client } from '@berth/client';
import { formatCsv } from '@berth/client';
import type { AuditEntry, AuditQuery } from '@berth/contract';

const PAGE_ENTRIES = 1_000;
/** Maximum number of entries in one file; about 30 MB. */
const ENTRIES_MOST = 200_000;

/**
 * Returns all matching entries as CSV, newest first.
 * @param onProgress Called with the number of entries so far.
 * @throws as `GET /v1/user/audit`; the signal's reason.
 */
export async function exportAudit(
  client: Pick<Client, 'get'>,
  query: AuditQuery,
  { onProgress, signal }: { onProgress(lines: number): void; readonly signal: AbortSignal },
): Promise<string> {
  const rows: Record<string, unknown>[] = [];
  let token: string | undefined;
  do {
    const page = await client.get('/v1/user/audit', {
      params: { query: { ...query, limit: PAGE_ENTRIES, page_token: token } },
      signal,
    });
    rows.push(...page.entries.map(toCsvRow));
    onProgress(rows.length);
    token = page.next_page_token ?? undefined;
  } while (token !== undefined && rows.length < ENTRIES_MOST);
  return rows.length === 0 ? '' : `${formatCsv(rows)}\n`;
}

function toCsvRow({ id, time, action, target, actor, actor_name, details, request_id }: AuditEntry) {
  const by = { actor_kind: actor.kind, actor_id: actor.id, actor_name };
  return { time, action, target, ...by, request_id, details, id };
}

import path from 'node:path';
import { openDatabase } from '@berth/database';
import { type Clock, createIdSource, createSystemClock } from '@berth/kit';
import { createOutputParser, type LogScope } from '@berth/logstore';
import { generateLogLines } from '../log-lines.ts';
import { openLogStore } from '../open-log-store.ts';

const HOUR_MS = 3_600_000;

/** Writes so many entries, spread over the last hour, into a log of a data folder that no server has open. */
export async function seedLog(dataFolder: string, scope: LogScope, entries: number): Promise<void> {
  const system = createSystemClock();
  const endMs = system.nowMs() - 1_000;
  let written = 0;
  const clock: Clock = { ...system, nowMs: () => endMs - HOUR_MS * (1 - written / entries) };
  const { logs, close } = await openLogStore(dataFolder, clock);
  const parser = createOutputParser({ clock, onQuiet: (late) => void logs.append(scope, late) });
  for (const chunk of generateLogLines(entries, { errorsOfUser: 0, severities: {} })) {
    const parsed = parser.push('stdout', Buffer.from(chunk));
    await logs.append(scope, parsed);
    written = Math.min(written + parsed.length, entries);
  }
  await logs.flush();
  await close();
}

const INSERTED_AT_ONCE = 500;

/** Adds so many lines to the audit log of an account, a minute apart. */
export async function seedAudit(
  dataFolder: string,
  { account, keyId }: { readonly account: string; readonly keyId: string },
  lines: number,
): Promise<void> {
  const { db, close } = await openDatabase({ file: path.join(dataFolder, 'berth.db') });
  const ids = createIdSource();
  const nowMs = Date.now();
  const actions = ['deployment.create', 'deployment.delete', 'key.create', 'volume.create', 'environment.set'];
  for (let from = 0; from < lines; from += INSERTED_AT_ONCE) {
    const rows = Array.from({ length: Math.min(INSERTED_AT_ONCE, lines - from) }, (_, index) => ({
      id: ids.next('aud'),
      account_id: account,
      created_at: nowMs - (lines - from - index) * 60_000,
      actor_kind: 'key' as const,
      actor_id: keyId,
      action: actions[(from + index) % actions.length] ?? '',
      target: `service-${(from + index) % 997}`,
      details: JSON.stringify({ n: from + index }),
      request_id: null,
    }));
    await db.insertInto('audit_log').values(rows).execute();
  }
  await close();
}

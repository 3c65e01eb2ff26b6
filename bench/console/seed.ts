import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseDeployForm } from '@berth/contract';
import { openDatabase } from '@berth/database';
import { type Clock, createIdSource, createSystemClock } from '@berth/kit';
import { createOutputParser, type LogScope } from '@berth/logstore';
import { createFsObjectStore } from '@berth/object-store/fs';
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

/** Adds so many deployments whose first deploy failed, the newest first in the list. */
export async function seedDeployments(dataFolder: string, account: string, count: number): Promise<void> {
  const { db, close } = await openDatabase({ file: path.join(dataFolder, 'berth.db') });
  const nowMs = Date.now();
  for (let from = 0; from < count; from += INSERTED_AT_ONCE) {
    const rows = Array.from({ length: Math.min(INSERTED_AT_ONCE, count - from) }, (_, index) => {
      const name = `service-${String(from + index).padStart(5, '0')}`;
      const form = parseDeployForm({ fields: { function_name: name, volumes: '{}' }, hasArchive: true });
      if (!('settings' in form)) throw new Error(`the settings of ${name} are refused`);
      return {
        ...{ name, account_id: account, status: 'failed' as const, settings: JSON.stringify(form.settings) },
        ...{ current_revision: null, environment_version: 0, last_deploy: null },
        ...{ created_at: nowMs - (from + index) * 60_000, updated_at: nowMs - (from + index) * 30_000 },
      };
    });
    await db.insertInto('deployments').values(rows).execute();
  }
  await close();
}

const FILES_A_FOLDER = 10_000;

/** Writes so many files into a volume that was created over the API; one folder has at most 10,000. */
export async function seedObjects(dataFolder: string, account: string, volume: string, count: number): Promise<void> {
  const { db, close } = await openDatabase({ file: path.join(dataFolder, 'berth.db') });
  const { storage_id: storageId } = await db
    .selectFrom('volumes')
    .select('storage_id')
    .where('name', '=', volume)
    .executeTakeFirstOrThrow();
  await close();
  const store = createFsObjectStore({ folder: path.join(dataFolder, 'work/volumes'), clock: createSystemClock() });
  let folder = '';
  for (let index = 0; index < count; index += 1) {
    if (index % FILES_A_FOLDER === 0) {
      const part = `part-${String(index / FILES_A_FOLDER).padStart(3, '0')}`;
      folder = (await store.folders?.ensure({ account, storageId }, part)) ?? '';
    }
    writeFileSync(path.join(folder, `object-${String(index).padStart(7, '0')}.txt`), 'x');
  }
}

import type { Billing } from '@berth/control';
import type { AccountId } from '@berth/kit';
import { createSqlRunner, type FileLogStore, logsRelation, type SqlRunner } from '@berth/logstore';
import type { PartOptions } from '../context/part-options.ts';

/** Opens the SQL engine, which runs each account's queries over its own logs and billing rows. */
export function openSql(
  { clock, logger }: Pick<PartOptions, 'clock' | 'logger'>,
  { logs, billing }: { readonly logs: Pick<FileLogStore, 'snapshot'>; readonly billing: Pick<Billing, 'relationOf'> },
): SqlRunner {
  return createSqlRunner({
    clock,
    logger,
    async relationsOf(account) {
      const costs = await billing.relationOf(account as AccountId);
      const snapshot = await logs.snapshot(account);
      return {
        setUp: [logsRelation(snapshot), costs],
        allowedFolders: snapshot.folders,
        bytes: snapshot.bytes,
        release: snapshot.release,
      };
    },
  });
}

import { type AccountId, describeError } from '@berth/kit';
import type { ControlContext } from '../context/control-context.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface CreateStorageMeterOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly meter: Pick<UsageMeter, 'record'>;
}

const STEP_MS = 300_000;
/** A month of storage. Source: docs/guides/billing.md. */
const MONTH_MS = 730 * 3_600_000;

/**
 * Every look charges a volume for what it holds now, from the last look to this one. Where that was is in the usage rows themselves: a
 * restart charges for the time in between, in which the bytes were kept too, and for none twice.
 */
/** Meters the storage of volumes over time. */
export function createStorageMeter({ db, clock, logger, meter }: CreateStorageMeterOptions) {
  const lastMs = new Map<string, number>();
  let isClosed = false;
  let timer = clock.setTimer(0, () => {});

  async function readLast(): Promise<void> {
    const rows = await db
      .selectFrom('usage')
      .select((eb) => ['account_id', 'resource', eb.fn.max('updated_at').as('last')])
      .where('sku', '=', 'storage')
      .groupBy(['account_id', 'resource'])
      .execute();
    for (const row of rows) lastMs.set(`${row.account_id}/${row.resource}`, Number(row.last));
  }

  async function look(): Promise<void> {
    const volumes = await db.selectFrom('volumes').select(['account_id', 'name', 'size_bytes', 'created_at']).execute();
    const nowMs = clock.nowMs();
    for (const volume of volumes) {
      const resource = `volume/${volume.name}`;
      const key = `${volume.account_id}/${resource}`;
      const sinceMs = Math.max(lastMs.get(key) ?? 0, Number(volume.created_at));
      lastMs.set(key, nowMs);
      const months = Math.max(0, nowMs - sinceMs) / MONTH_MS;
      const amount = (Number(volume.size_bytes) / 2 ** 30) * months;
      meter.record({ account: volume.account_id as AccountId, resource, sku: 'storage', amount });
    }
  }

  const tick = () => {
    look()
      .catch((error: unknown) => logger.error({ error: describeError(error) }, 'storage could not be metered'))
      .finally(() => {
        if (!isClosed) timer = clock.setTimer(STEP_MS, tick);
      });
  };

  return {
    /** Meters all volumes now and then every five minutes. */
    start(): void {
      readLast().then(tick, (error: unknown) =>
        logger.error({ error: describeError(error) }, 'storage cannot be metered'),
      );
    },
    /** Meters again. Idempotent. */
    async close(): Promise<void> {
      if (isClosed) return;
      isClosed = true;
      timer.cancel();
      await look();
    },
  };
}

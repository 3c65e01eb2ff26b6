import { type AccountId, describeError } from '@berth/kit';
import type { HeldLease, Leases } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import type { UsageMeter, Use } from './usage-meter.ts';

export interface CreateStorageMeterOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly meter: Pick<UsageMeter, 'write'>;
  readonly leases: Leases;
}

const STEP_MS = 300_000;
/** A month of storage. Source: docs/guides/billing.md. */
const MONTH_MS = 730 * 3_600_000;

/**
 * Meters the storage of volumes over time. Every look charges a volume for what it holds now, from the last look to this one. Where that
 * was is in the usage rows themselves: a restart, or another server, charges for the time in between, in which the bytes were kept too,
 * and for none twice.
 */
export function createStorageMeter({ db, clock, logger, meter, leases }: CreateStorageMeterOptions) {
  let isClosed = false;
  let timer = clock.setTimer(0, () => {});

  async function readLast(): Promise<ReadonlyMap<string, number>> {
    const rows = await db
      .selectFrom('usage')
      .select((eb) => ['account_id', 'resource', eb.fn.max('updated_at').as('last')])
      .where('sku', '=', 'storage')
      .groupBy(['account_id', 'resource'])
      .execute();
    return new Map(rows.map((row) => [`${row.account_id}/${row.resource}`, Number(row.last)]));
  }

  const look = () => leases.run('storage metering', meterAll);

  async function meterAll(lease: HeldLease): Promise<void> {
    const lastMs = await readLast();
    const volumes = await db.selectFrom('volumes').select(['account_id', 'name', 'size_bytes', 'created_at']).execute();
    const nowMs = clock.nowMs();
    const uses = volumes.map((volume): Use => {
      const resource = `volume/${volume.name}`;
      const key = `${volume.account_id}/${resource}`;
      const sinceMs = Math.max(lastMs.get(key) ?? 0, Number(volume.created_at));
      const months = Math.max(0, nowMs - sinceMs) / MONTH_MS;
      const amount = (Number(volume.size_bytes) / 2 ** 30) * months;
      return { account: volume.account_id as AccountId, resource, sku: 'storage', amount };
    });
    await meter.write(uses, nowMs, lease.require);
  }

  const tick = () => {
    look()
      .catch((error: unknown) => logger.error({ error: describeError(error) }, 'storage could not be metered'))
      .finally(() => {
        if (!isClosed) timer = clock.setTimer(STEP_MS, tick);
      });
  };

  return {
    /** Meters all volumes, unless another server does. */
    look,
    /** Meters all volumes now and then every five minutes. */
    start(): void {
      tick();
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

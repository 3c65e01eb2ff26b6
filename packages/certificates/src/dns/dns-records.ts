import type { Logger } from '@berth/kit';
import { describeReason } from '../store/certificate.ts';

/** A TXT record. */
export interface DnsRecord {
  /** Lower-case ASCII name without a final dot, such as `_acme-challenge.apps.example.com`. */
  readonly name: string;
  readonly value: string;
}

/** A way to change records of a zone. Both functions are idempotent, and neither touches other values of the same name. */
export interface DnsProvider {
  add(record: DnsRecord, signal?: AbortSignal): Promise<void>;
  remove(record: DnsRecord): Promise<void>;
}

/** Durable list of the records that must be removed, which outlives this process. */
export interface DnsRecordList {
  list(): Promise<readonly DnsRecord[]>;
  add(record: DnsRecord): Promise<void>;
  remove(record: DnsRecord): Promise<void>;
}

/** Options of {@link createDnsChallenges}. */
export interface DnsChallengesOptions {
  readonly provider: DnsProvider;
  readonly records: DnsRecordList;
  /** Waits until the authoritative servers answer with all `records`. */
  readonly settled: (records: readonly DnsRecord[], signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
}

/** The TXT records that prove control of a domain while an order runs. */
export interface DnsChallenges {
  /**
   * Adds `records` and waits until the authoritative servers answer with them. Returns a function that removes them. When
   * this fails, they are removed first.
   */
  offer(records: readonly DnsRecord[], signal: AbortSignal): Promise<() => Promise<void>>;
  /** Removes the records that an earlier process, or a removal that failed, left behind. Never fails. */
  sweep(): Promise<void>;
}

/**
 * Creates {@link DnsChallenges}. Invariant: a record is on the durable list before it is added to the zone, and leaves
 * the list after it left the zone.
 */
export function createDnsChallenges({ provider, records: list, settled, logger }: DnsChallengesOptions): DnsChallenges {
  const offered = new Set<string>();
  const withdraw = async (record: DnsRecord): Promise<void> => {
    try {
      await provider.remove(record);
      await list.remove(record);
    } catch (error) {
      // The record stays on the list, so the next sweep removes it.
      logger.warn({ record: record.name, problem: describeReason(error) }, 'a DNS record could not be removed');
    } finally {
      offered.delete(keyOf(record));
    }
  };
  return {
    async offer(records, signal) {
      const withdrawAll = async () => {
        for (const record of records) await withdraw(record);
      };
      try {
        for (const record of records) {
          offered.add(keyOf(record));
          await list.add(record);
          await provider.add(record, signal);
        }
        await settled(records, signal);
      } catch (error) {
        await withdrawAll();
        throw error;
      }
      return withdrawAll;
    },
    async sweep() {
      try {
        for (const record of await list.list()) if (!offered.has(keyOf(record))) await withdraw(record);
      } catch (error) {
        logger.warn({ problem: describeReason(error) }, 'DNS records of earlier orders could not be listed');
      }
    },
  };
}

function keyOf({ name, value }: DnsRecord): string {
  return `${name} ${value}`;
}

import type { Kysely } from 'kysely';
import type { HeartbeatPlace } from '../heartbeats/heartbeats.ts';
import type { Locks } from '../ports/locks.ts';
import type { AgentSchema } from './schema.ts';

/** An open database of an agent, SQLite or Postgres. */
export interface AgentDatabase {
  readonly db: Kysely<AgentSchema>;
  /** SQLite has one writer at a time. Postgres has many, so rows that are read to be changed have to be locked. */
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Calls `callback` when the transaction that is open now is committed, if that is before it is durable; undefined for Postgres,
   * where it is not.
   */
  readonly onCommit?: (callback: () => void) => void;
  readonly locks: Locks;
  /** Where a thread writes heartbeats; undefined for a database in memory, which no other process reads. */
  readonly heartbeatPlace?: HeartbeatPlace;
  close(): Promise<void>;
}

import type { Kysely } from 'kysely';
import type { Locks } from '../ports/locks.ts';
import type { AgentSchema } from './schema.ts';

/** The open database of an agent, of either dialect. */
export interface AgentDatabase {
  readonly db: Kysely<AgentSchema>;
  /** SQLite has one writer at a time; Postgres has many, and rows that are read to be changed are locked there. */
  readonly dialect: 'sqlite' | 'postgres';
  readonly locks: Locks;
  close(): Promise<void>;
}

import type { Kysely } from 'kysely';

/** One step of the schema. Once released it is never edited: a change is a new migration. */
export interface Migration {
  /** From 1, without gaps. */
  readonly id: number;
  /** The file name without its number, e.g. `accounts`. */
  readonly name: string;
  /**
   * Changes the schema, inside a transaction. The handle is untyped because the tables are those of that version, not
   * of `Database`.
   */
  up(db: Kysely<unknown>): Promise<void>;
}

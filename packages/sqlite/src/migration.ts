import type { Kysely } from 'kysely';

/** One step of the schema. Once released it is never edited: a change is a new migration. */
export interface Migration {
  /** From 1, without gaps. */
  readonly id: number;
  /** The file's name without its number, e.g. `accounts`. */
  readonly name: string;
  /**
   * Makes the change; runs in a transaction. The tables are those of that time, not of `Database`, hence the untyped handle.
   */
  up(db: Kysely<unknown>): Promise<void>;
}

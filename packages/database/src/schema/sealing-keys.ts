/** A master key that seals the secrets of the database, or sealed them earlier. The row with the highest number seals. */
export interface SealingKeysTable {
  /** 16 hexadecimal digits, which don't reveal the key. */
  readonly key_id: string;
  /** Starts at 1. */
  readonly number: number;
  readonly created_at: number;
}

import { createError } from '@berth/contract';
import { createSecretBox, type SecretBox } from '@berth/kit/node';
import type { Kysely } from 'kysely';
import type { Database } from '../schema/index.ts';
import { findSealingKey } from './sealing-keys.ts';

/** A key that seals secrets of one kind, derived from a master key. */
export interface SealingKey {
  /** Id of the master key; see {@link SealingKeysTable}. */
  readonly masterKeyId: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/**
 * Seals and opens secrets of one kind with a ring of keys. Invariants:
 * 1. The database names the key that seals, so servers whose rings differ in order seal with the same one.
 * 2. Each key of the ring opens what it sealed.
 */
export interface Sealer {
  /**
   * Returns the box that seals now. Call it in the transaction that stores what it seals: a rotation that runs meanwhile makes that
   * transaction run again, so nothing is sealed with the former key after the rotation has ended.
   * @throws BerthError `unavailable` when this server doesn't have the key
   */
  current(transaction: Kysely<Database>): Promise<SecretBox>;
  /** Decrypts a sealed secret. @throws Error if no key of the ring sealed it, or it has another context or was changed */
  open(sealed: string, context: readonly string[]): string;
  /** Prefixes of the secrets that {@link open} can decrypt. */
  readonly prefixes: readonly string[];
}

/** Creates a sealer. @param ring at least one key; the first seals while the database names none. */
export function createSealer(ring: readonly SealingKey[]): Sealer {
  const boxes = new Map(ring.map(({ masterKeyId, key }) => [masterKeyId, createSecretBox(key)]));
  const [first] = boxes.values();
  if (!first) throw new Error('a key ring needs at least one key');
  return {
    prefixes: [...boxes.values()].map(({ prefix }) => prefix),
    async current(transaction) {
      const keyId = await findSealingKey(transaction);
      const box = keyId === undefined ? first : boxes.get(keyId);
      if (box) return box;
      throw createError(
        'unavailable',
        `This server doesn't have the master key ${keyId}, which seals the database's secrets now. Add the key to the server's master keys and restart the server.`,
      );
    },
    open(sealed, context) {
      const box = [...boxes.values()].find(({ prefix }) => sealed.startsWith(prefix));
      if (box) return box.open(sealed, context);
      throw new Error('the secret was encrypted with a master key that this server does not have');
    },
  };
}

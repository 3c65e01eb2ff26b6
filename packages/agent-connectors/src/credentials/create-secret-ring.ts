import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { createError } from '@berth/contract';
import type { SealingKey } from './parse-keys.ts';

/** The agent's key ring: the current key seals, all keys open. */
export interface SecretRing {
  /** Returns a box whose keys are derived for `purpose` alone. */
  box(purpose: string): SecretBox;
  /** Id of the key that seals. */
  readonly currentKeyId: string;
}

/** Authenticated encryption of short texts. A sealed text opens with the same `context` only. */
export interface SecretBox {
  /** Returns `<key id>.<base64url of nonce, ciphertext and tag>`. */
  seal(text: string, context: readonly string[]): string;
  /**
   * Returns the text; undefined when its key is missing, or the sealed text was changed or moved to another context.
   */
  open(sealed: string, context: readonly string[]): string | undefined;
}

/** Random nonces of 96 bits allow 2^32 seals per key. Source: NIST SP 800-38D 8.2.2. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Creates a key ring that seals with AES-256-GCM. Each purpose has its own key derived from each key of the ring (RFC
 * 5869), so that a text sealed for one purpose doesn't open for another.
 * @param keys the first one seals.
 */
export function createSecretRing(keys: readonly SealingKey[]): SecretRing {
  const [current] = keys;
  if (!current) throw createError('invalid', 'A key ring needs at least one key.');
  return { currentKeyId: current.id, box: (purpose) => createBox(keys, current, purpose) };
}

function createBox(keys: readonly SealingKey[], current: SealingKey, purpose: string): SecretBox {
  const derived = new Map(
    keys.map(({ id, bytes }) => [id, Buffer.from(hkdfSync('sha256', bytes, '', `berth agent ${purpose}`, KEY_BYTES))]),
  );
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', derived.get(current.id) as Buffer, nonce);
      cipher.setAAD(contextBytes(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${current.id}.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
    },
    open(sealed, context) {
      const dot = sealed.indexOf('.');
      const key = derived.get(sealed.slice(0, Math.max(dot, 0)));
      const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url');
      if (!key || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      // Base64 has several encodings of the same bytes; only the canonical one is accepted.
      if (bytes.toString('base64url') !== sealed.slice(dot + 1)) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(contextBytes(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const body = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([body, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** Encodes the context as JSON, so that its parts can't run into each other. */
function contextBytes(context: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(context));
}

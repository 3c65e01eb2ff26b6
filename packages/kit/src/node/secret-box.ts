import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/**
 * Seals short secrets for storage with AES-256-GCM. A sealed text is bound to what it belongs to (`context`): moved to
 * another account, deployment or key it does not open.
 */
export interface SecretBox {
  /** The start of every text this key sealed, and of no other: `v1.<key id>.` */
  readonly prefix: string;
  /** `v1.<key id>.<base64url of nonce, tag and ciphertext>`. */
  seal(secret: string, context: readonly string[]): string;
  /** @throws Error when it was sealed with another key or context, or was changed. */
  open(sealed: string, context: readonly string[]): string;
}

/** AES-256. */
const KEY_BYTES = 32;
/** NIST SP 800-38D 8.2.2: random nonces of 96 bits, good for 2^32 seals a key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * @param key 32 random bytes.
 * @throws Error when the key has another length.
 */
export function createSecretBox(key: Uint8Array): SecretBox {
  if (key.length !== KEY_BYTES) throw new Error(`the secret key has ${key.length} bytes; it must have ${KEY_BYTES}`);
  // Names the key without giving anything of it away, so that a wrong key is told from damage.
  const keyId = createHash('sha256').update('berth secret key id').update(key).digest('hex').slice(0, 8);
  const prefix = `v1.${keyId}.`;
  return {
    prefix,
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(contextBytes(context));
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, context) {
      if (!sealed.startsWith(prefix)) throw new Error('the secret was sealed with another key');
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
      const tagEnd = NONCE_BYTES + TAG_BYTES;
      if (bytes.length < tagEnd) throw new Error('the sealed secret is cut short');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(contextBytes(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
    },
  };
}

/** JSON, so that the parts can't run into each other. */
function contextBytes(context: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(context));
}

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/**
 * Encrypts short secrets for storage with AES-256-GCM. A sealed secret is bound to its `context`: it doesn't open for
 * another account, deployment or key.
 */
export interface SecretBox {
  /** The prefix of every secret sealed with this key, and of no other: `v1.<key id>.` */
  readonly prefix: string;
  /** Encrypts `secret` and returns `v1.<key id>.<base64url of nonce, tag and ciphertext>`. */
  seal(secret: string, context: readonly string[]): string;
  /** Decrypts a sealed secret. @throws Error if it was sealed with another key or context, or was changed. */
  open(sealed: string, context: readonly string[]): string;
}

/** Key size of AES-256. */
const KEY_BYTES = 32;
/** Size of a random 96-bit nonce, safe for 2^32 seals per key. Source: NIST SP 800-38D 8.2.2. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates a secret box with the given key.
 * @param key 32 random bytes.
 * @throws Error if the key has another length.
 */
export function createSecretBox(key: Uint8Array): SecretBox {
  if (key.length !== KEY_BYTES) throw new Error(`the secret key has ${key.length} bytes; it must have ${KEY_BYTES}`);
  // The id identifies the key without revealing it, so that a wrong key can be told from damaged data.
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
      if (!sealed.startsWith(prefix)) throw new Error('the secret was encrypted with another key');
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
      const tagEnd = NONCE_BYTES + TAG_BYTES;
      if (bytes.length < tagEnd) throw new Error('the encrypted secret is truncated');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(contextBytes(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
    },
  };
}

/** Encodes the context as JSON, so that no two contexts have the same bytes. */
function contextBytes(context: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(context));
}

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** Needs 32 MiB and about a tenth of a second. The values are those of better-auth 1.7.5, which made the older hashes. */
const COST: ScryptOptions = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 };
const SALT_BYTES = 16;
const KEY_BYTES = 64;

/** Returns `<salt>:<key>` in lower-case hex, with a random salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return `${salt}:${(await deriveKey(password, salt)).toString('hex')}`;
}

/**
 * Returns whether `hash` was made from `password`. Takes as long without a hash, so that the time of an answer does not
 * tell whether a person or a password exists.
 */
export async function verifyPassword(hash: string | null | undefined, password: string): Promise<boolean> {
  const [salt = '', key = ''] = hash?.split(':') ?? [];
  const expected = Buffer.from(key, 'hex');
  const actual = await deriveKey(password, salt);
  return expected.length === KEY_BYTES && timingSafeEqual(actual, expected);
}

/** The salt is used as text, not as the bytes it encodes. NFKC makes a password the same on every keyboard. */
function deriveKey(password: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

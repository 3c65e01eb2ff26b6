import { createError } from '@berth/contract';

/** A key of the key ring. */
export interface SealingKey {
  /** Prefix of everything the key seals; not secret. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

/** AES-256. */
const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{1,32}$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** Minimum number of distinct bytes. 32 random bytes have about 30; fewer than this happens once in 10^38 keys. */
const MIN_DIFFERENT_BYTES = 12;
const MAKE_ONE = 'Create one with: echo "k1:$(openssl rand -base64 32)"';

/**
 * Parses `id:base64,id:base64`, separated by commas or line breaks; the first key is current.
 * @param origin the subject of error messages, e.g. `BERTH_AGENT_KEYS`.
 * @throws `invalid`; the message shows no key.
 */
export function parseKeys(text: string, origin: string): readonly SealingKey[] {
  const wrong = (what: string) => createError('invalid', `${origin}: ${what} ${MAKE_ONE}`);
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) throw wrong('it contains no key.');
  return entries.map((entry, index) => {
    const colon = entry.indexOf(':');
    const id = entry.slice(0, colon);
    if (colon < 1 || !ID.test(id)) throw wrong(`key ${index + 1} does not have the form id:base64.`);
    const encoded = entry.slice(colon + 1);
    const bytes = Buffer.from(encoded, 'base64');
    if (!BASE64.test(encoded) || bytes.length !== KEY_BYTES) {
      throw wrong(`the key "${id}" must be 32 bytes in base64; it is ${BASE64.test(encoded) ? bytes.length : 'none'}.`);
    }
    if (isGuessable(bytes)) throw wrong(`the key "${id}" is not random: an example, a pattern or a text.`);
    return { id, bytes };
  });
}

/**
 * Joins key rings, the first one in front; a key may be in several.
 * @throws `invalid` when two keys share an id, or one key has two ids.
 */
export function joinKeys(rings: readonly (readonly SealingKey[])[], origin: string): readonly SealingKey[] {
  const joined: SealingKey[] = [];
  for (const key of rings.flat()) {
    const same = joined.find(({ id }) => id === key.id);
    if (same?.bytes.equals(key.bytes)) continue;
    if (same) throw createError('invalid', `${origin}: two keys have the id "${key.id}". Give each a unique name.`);
    const twin = joined.find(({ bytes }) => bytes.equals(key.bytes));
    if (twin) throw createError('invalid', `${origin}: "${twin.id}" and "${key.id}" are the same key. ${MAKE_ONE}`);
    joined.push(key);
  }
  return joined;
}

/** Reports whether the bytes are likely an example, a typed password or a counted sequence rather than random. */
function isGuessable(bytes: Buffer): boolean {
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  const step = ((bytes[1] ?? 0) - (bytes[0] ?? 0)) & 0xff;
  const isCounted = bytes.every((byte, index) => index === 0 || ((byte - (bytes[index - 1] ?? 0)) & 0xff) === step);
  return isText || isCounted || new Set(bytes).size < MIN_DIFFERENT_BYTES;
}

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@berth/kit';

/** What a signed URL allows. */
export interface Grant {
  /** `GET` also allows `HEAD`. */
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH';
  readonly account: string;
  readonly storageId: string;
  /** Path of an object, or id of an upload that was begun. */
  readonly path: string;
}

/** The query of a signed URL. */
export interface Signature {
  /** Epoch seconds. */
  readonly expires: number;
  /** Which key signed it. */
  readonly key: string;
  readonly signature: string;
}

export interface UrlSigner {
  sign(grant: Grant, expiresAtMs: number): Signature;
  /** `wrong` for all that was not signed here for just this grant, `expired` for what was, before. */
  verify(grant: Grant, signature: Signature): 'good' | 'wrong' | 'expired';
}

export interface UrlSignerOptions {
  /** 32 random bytes. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
}

/** Keys sign for a day. They verify for two more, which is longer than any URL lives. */
const KEY_LIFE_MS = 24 * 3_600_000;
const VERIFYING_KEYS = 3;

/**
 * Signs URLs with HMAC-SHA-256 over method, account, volume, path and expiry. Its key changes every day without breaking a
 * URL that lives: each is derived (RFC 5869) from the secret and the number of its day.
 */
export function createUrlSigner({ secret, clock }: UrlSignerOptions): UrlSigner {
  const keys = new Map<number, Buffer>();
  const today = () => Math.floor(clock.nowMs() / KEY_LIFE_MS);
  const keyOf = (day: number): Buffer => {
    const known = keys.get(day);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', secret, '', `berth signed urls ${day}`, 32));
    for (const old of keys.keys()) if (old <= today() - VERIFYING_KEYS) keys.delete(old);
    keys.set(day, key);
    return key;
  };
  const digest = ({ method, account, storageId, path }: Grant, day: number, expires: number): Buffer =>
    // JSON keeps the parts apart whatever is in them.
    createHmac('sha256', keyOf(day))
      .update(JSON.stringify([method, account, storageId, path, expires]))
      .digest();

  return {
    sign(grant, expiresAtMs) {
      const day = today();
      const expires = Math.ceil(expiresAtMs / 1_000);
      return { expires, key: String(day), signature: digest(grant, day, expires).toString('base64url') };
    },
    verify(grant, { expires, key, signature }) {
      const day = Number(key);
      // A clock that is set back a little must not refuse what was just signed.
      if (String(day) !== key || day > today() + 1 || day <= today() - VERIFYING_KEYS) return 'wrong';
      const expected = digest(grant, day, expires);
      const given = Buffer.from(signature, 'base64url');
      const isGood =
        given.length === expected.length &&
        timingSafeEqual(given, expected) &&
        // Base64 has several spellings of one value; only the one that was given out counts.
        signature === expected.toString('base64url');
      if (!isGood) return 'wrong';
      return clock.nowMs() <= expires * 1_000 ? 'good' : 'expired';
    },
  };
}

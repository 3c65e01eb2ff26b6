import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@berth/kit';

/** Access that a signed URL grants. */
export interface Grant {
  /** `GET` also allows `HEAD`. */
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH';
  readonly account: string;
  readonly storageId: string;
  /** Path of an object, or id of an upload. */
  readonly path: string;
}

/** The query parameters of a signed URL. */
export interface Signature {
  /** Seconds since the epoch. */
  readonly expires: number;
  /** Identifies the key. */
  readonly key: string;
  readonly signature: string;
}

export interface UrlSigner {
  sign(grant: Grant, expiresAtMs: number): Signature;
  /**
   * Returns `good`; `expired` for a signature that was good before; `wrong` for anything that was not signed here for
   * exactly this grant.
   */
  verify(grant: Grant, signature: Signature): 'good' | 'wrong' | 'expired';
}

export interface UrlSignerOptions {
  /** 32 random bytes. */
  readonly secret: Uint8Array;
  /** Secrets of other servers or of the time before a rotation: URLs that were signed with them are good. None by default. */
  readonly otherSecrets?: readonly Uint8Array[];
  readonly clock: Clock;
}

/** A key signs for a day. It verifies for two more, which is longer than the lifetime of any URL. */
const KEY_LIFE_MS = 24 * 3_600_000;
const VERIFYING_KEYS = 3;
const MAX_KEYS = 100;

/**
 * Creates a signer of URLs by HMAC-SHA-256 over method, account, volume, path and expiry. The key changes every day
 * without invalidating URLs: each is derived (RFC 5869) from the secret and the number of its day.
 */
export function createUrlSigner({ secret, otherSecrets = [], clock }: UrlSignerOptions): UrlSigner {
  const today = () => Math.floor(clock.nowMs() / KEY_LIFE_MS);
  /** Derived keys of a few days, by day and secret. */
  const keys = new Map<string, Buffer>();
  const keyOf = (day: number, from: Uint8Array): Buffer => {
    const id = `${day} ${[secret, ...otherSecrets].indexOf(from)}`;
    const known = keys.get(id);
    if (known) return known;
    if (keys.size >= MAX_KEYS) keys.clear();
    const key = Buffer.from(hkdfSync('sha256', from, '', `berth signed urls ${day}`, 32));
    keys.set(id, key);
    return key;
  };
  const digest = (
    { method, account, storageId, path }: Grant,
    day: number,
    expires: number,
    from: Uint8Array = secret,
  ): Buffer =>
    // JSON separates the parts, whatever they contain.
    createHmac('sha256', keyOf(day, from))
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
      // After the clock is set back a little, recent signatures must still verify.
      if (String(day) !== key || day > today() + 1 || day <= today() - VERIFYING_KEYS) return 'wrong';
      const given = Buffer.from(signature, 'base64url');
      const isSignedWith = (from: Uint8Array) => {
        const expected = digest(grant, day, expires, from);
        return (
          // Stryker disable next-line all: the last condition decides the same, but not in constant time.
          given.length === expected.length &&
          timingSafeEqual(given, expected) &&
          // Base64 has several spellings of one value; only the issued one is accepted.
          signature === expected.toString('base64url')
        );
      };
      if (![secret, ...otherSecrets].some(isSignedWith)) return 'wrong';
      return clock.nowMs() <= expires * 1_000 ? 'good' : 'expired';
    },
  };
}

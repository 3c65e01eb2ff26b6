import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type Database, type IdentityKeysTable, identityKeyContext, type Sealer } from '@berth/database';
import { type Clock, createSingleFlight } from '@berth/kit';
import type { SecretBox } from '@berth/kit/node';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { Kysely } from 'kysely';

/**
 * The keys that tokens are signed with.
 *
 * 1. At any time one key signs: the newest key whose `signs_from` has passed.
 * 2. A key is published {@link LEAD_MS} before it signs, so that clients that cache the set have it by then.
 * 3. A key stays published for {@link OVERLAP_MS} after it stops signing: every token it signed has expired by then.
 * 4. Private keys are stored sealed only.
 */
export type IdentityKeys = ReturnType<typeof createIdentityKeys>;

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

export interface IdentityKeysOptions {
  readonly db: Kysely<Database>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Tells the other servers of a database that all keys were replaced; absent for a server that is alone. */
  readonly notices?: KeyNotices | undefined;
}

/** Notices between the servers of a database that {@link IdentityKeys} need. */
export interface KeyNotices {
  publish(channel: 'identity_keys', payload: string, transaction: Kysely<Database>): Promise<void>;
  subscribe(channel: 'identity_keys', listener: () => void): () => void;
}

/** ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4): small tokens, and every JWT library supports it. */
export const SIGNING_ALGORITHM = 'ES256';

const DAY_MS = 24 * 3_600_000;
/** How long a key signs. */
const SIGNS_MS = 30 * DAY_MS;
const LEAD_MS = 2 * DAY_MS;
const OVERLAP_MS = DAY_MS;
/** How long keys are cached. A key that another process adds is published long before it signs, so a stale cache does no harm. */
const CACHE_MS = 60_000;

const generate = promisify(generateKeyPair);

export function createIdentityKeys({ db, sealer, clock, notices }: IdentityKeysOptions) {
  let cached: { readonly rows: readonly IdentityKeysTable[]; readonly untilMs: number } | undefined;
  const signing = new Map<string, KeyObject>();
  notices?.subscribe('identity_keys', () => {
    cached = undefined;
  });

  const read = (handle: Kysely<Database>) =>
    handle.selectFrom('identity_keys').selectAll().orderBy('signs_from').orderBy('kid').execute();
  const needsNext = (newest: IdentityKeysTable | undefined, nowMs: number) =>
    !newest || newest.signs_from + SIGNS_MS - LEAD_MS <= nowMs;

  const load = async (): Promise<readonly IdentityKeysTable[]> => {
    const nowMs = clock.nowMs();
    let rows = await read(db);
    const newest = rows.at(-1);
    if (needsNext(newest, nowMs)) {
      const signsFromMs = newest ? Math.max(nowMs + LEAD_MS, newest.signs_from + SIGNS_MS) : nowMs;
      rows = await db.transaction().execute(async (transaction) => {
        // Another server may have added it.
        const current = await read(transaction);
        if (!needsNext(current.at(-1), nowMs)) return current;
        const row = await createRow(signsFromMs, await sealer.current(transaction));
        await transaction.insertInto('identity_keys').values(row).execute();
        return [...current, row];
      });
    }
    const spent = rows.filter((_row, index) => (rows[index + 1]?.signs_from ?? nowMs) + OVERLAP_MS <= nowMs);
    for (const { kid } of spent) await db.deleteFrom('identity_keys').where('kid', '=', kid).execute();
    rows = rows.filter((row) => !spent.includes(row));
    cached = { rows, untilMs: nowMs + CACHE_MS };
    return rows;
  };
  const flight = createSingleFlight<readonly IdentityKeysTable[]>();
  const current = async () => (cached && clock.nowMs() < cached.untilMs ? cached.rows : flight.run('load', load));

  return {
    /** The key that signs now. */
    async signingKey(): Promise<SigningKey> {
      const rows = await current();
      // Read after the rows: a first key, made for this call, signs from the moment at which it was made.
      const nowMs = clock.nowMs();
      const row = rows.findLast(({ signs_from }) => signs_from <= nowMs);
      if (!row) throw new Error('no signing key of the identity provider is valid yet; the clock was set back');
      const { kid } = row;
      const known = signing.get(kid);
      if (known) return { kid, privateKey: known };
      const privateKey = createPrivateKey(sealer.open(row.sealed_private_key, identityKeyContext(kid)));
      signing.set(kid, privateKey);
      return { kid, privateKey };
    },
    /** The published key set (RFC 7517): keys whose tokens are still valid, and the key that signs next. */
    publicKeys: async (): Promise<readonly JWK[]> =>
      (await current()).map(({ public_jwk }) => JSON.parse(public_jwk) as JWK),
    /** Replaces all keys at once, in case one has leaked. Every token signed before is refused from now on. */
    async replaceAll(): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        const row = await createRow(clock.nowMs(), await sealer.current(transaction));
        await transaction.deleteFrom('identity_keys').execute();
        await transaction.insertInto('identity_keys').values(row).execute();
        await notices?.publish('identity_keys', '', transaction);
      });
      cached = undefined;
    },
  };
}

async function createRow(signsFromMs: number, box: SecretBox): Promise<IdentityKeysTable> {
  const { publicKey, privateKey } = await generate('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    kid,
    public_jwk: JSON.stringify({ ...jwk, kid, alg: SIGNING_ALGORITHM, use: 'sig' }),
    sealed_private_key: box.seal(pem, identityKeyContext(kid)),
    signs_from: signsFromMs,
  };
}

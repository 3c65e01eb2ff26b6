import { randomInt } from 'node:crypto';
import { createError, type Device, type DeviceCode, type DeviceError } from '@berth/contract';
import type { AuditSource, ServiceDeps } from '../audit/audit-log.ts';
import { createRateLimiter, type RateLimit } from '../limits/rate-limiter.ts';
import type { Principal } from '../principal/principal.ts';
import { createSecret, hashSecret } from '../secrets/secrets.ts';
import type { SessionPlace } from '../sessions/session-place.ts';
import type { NewSession, Sessions } from '../sessions/sessions.ts';

/** The life of a code. Source: RFC 8628 section 3.2. */
const LIFE_MS = 600_000;
const INTERVAL_MS = 5_000;
/** Added to the interval by `slow_down`. Source: RFC 8628 section 3.5. */
const SLOWER_MS = 5_000;
/** Tolerance for a device whose clock or network makes it slightly early. */
const SLACK_MS = 1_000;

const PER_MINUTE: RateLimit = { windowSeconds: 60, max: 10 };

/** No vowels, so that codes spell no words, and no look-alikes. Source: RFC 8628 section 6.1. */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
/** 20^8 codes are 34 bits, against ten guesses a minute per person for ten minutes. */
const CODE_LENGTH = 8;

/** Why a device gets no token. */
export type DeviceRefusal = NonNullable<DeviceError['error']>;

/**
 * Sign-in of devices by a code (RFC 8628), approved by a person who is signed in. Invariants:
 * 1. Both codes are stored as hashes, expire after ten minutes, and end when the device learns the decision.
 * 2. A person may try ten codes a minute, an address may begin ten; more is 429.
 * 3. The device gets a session of the person who approved it, listed and ended like any other.
 */
export type DeviceGrants = ReturnType<typeof createDeviceGrants>;

/** A person's decision about a device. */
export interface DeviceDecision {
  readonly userCode: string;
  readonly approve: boolean;
  readonly userId: string;
  readonly accountId: Principal['accountId'];
}

export interface CreateDeviceGrantsOptions extends ServiceDeps {
  readonly sessions: Pick<Sessions, 'create'>;
  /** The address of the console, where people decide. */
  readonly baseUrl: string;
}

export function createDeviceGrants({ db, clock, audit, sessions, baseUrl }: CreateDeviceGrantsOptions) {
  const limiter = createRateLimiter(clock);

  const pending = (userCode: string) =>
    db
      .selectFrom('device_grants')
      .selectAll()
      .where('user_code_hash', '=', hashSecret(normalizeUserCode(userCode)))
      .where('state', '=', 'pending')
      .where('expires_at', '>', clock.nowMs());

  return {
    /** @throws `too_many_requests` */
    async begin(deviceName: string, { address, userAgent }: SessionPlace): Promise<DeviceCode> {
      limiter.take(`begin ${address ?? ''}`, PER_MINUTE);
      const nowMs = clock.nowMs();
      await db.deleteFrom('device_grants').where('expires_at', '<=', nowMs).execute();
      const deviceCode = createSecret();
      const userCode = createUserCode();
      await db
        .insertInto('device_grants')
        .values({
          hash: hashSecret(deviceCode),
          user_code_hash: hashSecret(userCode),
          device_name: deviceName,
          ip_address: address ?? null,
          user_agent: userAgent ?? null,
          state: 'pending',
          interval_ms: INTERVAL_MS,
          created_at: nowMs,
          expires_at: nowMs + LIFE_MS,
        })
        .execute();
      const uri = new URL('/device', baseUrl).href;
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: uri,
        verification_uri_complete: `${uri}?code=${userCode}`,
        expires_in: LIFE_MS / 1_000,
        interval: INTERVAL_MS / 1_000,
      };
    },

    /** Returns the session, or why there is none yet. */
    poll: (deviceCode: string, place: SessionPlace): Promise<NewSession | DeviceRefusal> =>
      db.transaction().execute(async (transaction) => {
        const nowMs = clock.nowMs();
        const hash = hashSecret(deviceCode);
        const row = await transaction
          .selectFrom('device_grants')
          .selectAll()
          .where('hash', '=', hash)
          .where('expires_at', '>', nowMs)
          .executeTakeFirst();
        if (!row) return 'expired_token';
        if (row.state === 'pending') {
          const isTooFast = row.polled_at !== null && nowMs - row.polled_at < row.interval_ms - SLACK_MS;
          const interval_ms = row.interval_ms + (isTooFast ? SLOWER_MS : 0);
          const change = transaction.updateTable('device_grants').set({ polled_at: nowMs, interval_ms });
          await change.where('hash', '=', hash).execute();
          return isTooFast ? 'slow_down' : 'authorization_pending';
        }
        await transaction.deleteFrom('device_grants').where('hash', '=', hash).execute();
        if (row.state === 'denied' || row.user_id === null) return 'access_denied';
        const users = transaction.selectFrom('auth_users').select(['id', 'name', 'email']);
        const user = await users.where('id', '=', row.user_id).executeTakeFirstOrThrow();
        return { token: await sessions.create(user.id, place, transaction), user };
      }),

    /** Describes the device of a code. @throws `not_found`, `too_many_requests` */
    async show(userCode: string, userId: string): Promise<Device> {
      limiter.take(`guess ${userId}`, PER_MINUTE);
      const row = await pending(userCode).executeTakeFirst();
      if (!row) throw noSuchCode();
      return {
        device_name: row.device_name,
        address: row.ip_address,
        user_agent: row.user_agent,
        created_at: new Date(row.created_at).toISOString(),
        expires_at: new Date(row.expires_at).toISOString(),
      };
    },

    /** Approves or denies a device. @throws `not_found`, also for a code that was decided before; `too_many_requests` */
    async decide({ userCode, approve, userId, accountId }: DeviceDecision, source: AuditSource): Promise<void> {
      limiter.take(`guess ${userId}`, PER_MINUTE);
      await db.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('device_grants')
          .set({ state: approve ? 'approved' : 'denied', user_id: userId })
          .where('hash', 'in', pending(userCode).clearSelect().select('hash'))
          .returning('device_name')
          .executeTakeFirst();
        if (!row) throw noSuchCode();
        const action = approve ? 'device.approve' : 'device.deny';
        await audit.record({ ...source, accountId, action, target: row.device_name }, transaction);
      });
    },
  };
}

function noSuchCode(): Error {
  return createError(
    'not_found',
    'No device is waiting with this code. Codes expire after ten minutes: start again on the device.',
  );
}

/** Returns a code for people to type, e.g. `BCDF-GHJK`. */
export function createUserCode(): string {
  const code = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('');
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

/** Returns the canonical form of a code typed in any case, with or without its hyphen. */
export function normalizeUserCode(typed: string): string {
  const code = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

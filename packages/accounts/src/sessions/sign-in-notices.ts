import type { Database } from '@berth/database';
import { type Clock, describeUserAgent } from '@berth/kit';
import type { MailOutbox } from '@berth/mail';
import type { Transaction } from 'kysely';
import { hashSecret } from '../secrets/secrets.ts';
import { networkOf, type SessionPlace } from './session-place.ts';

/** A place that wasn't used for this long counts as new. */
const KNOWN_MS = 180 * 24 * 60 * 60_000;

/** A sign-in that was just recorded. */
interface NewSignIn {
  readonly userId: string;
  readonly place: SessionPlace;
}

/** Tells people about sign-ins from places that they haven't used before. */
export interface SignInNotices {
  /** Remembers the place, and puts a mail into the outbox when the person has signed in before, but never from here. */
  note(signIn: NewSignIn, transaction: Transaction<Database>): Promise<void>;
}

/** Options of {@link createSignInNotices}. */
export interface CreateSignInNoticesOptions {
  readonly clock: Clock;
  readonly mail: { readonly outbox: Pick<MailOutbox, 'put'> };
  /** The address of the console. */
  readonly baseUrl: string;
}

export function createSignInNotices({ clock, mail, baseUrl }: CreateSignInNoticesOptions): SignInNotices {
  return {
    async note({ userId, place }, transaction) {
      const { address, userAgent } = place;
      const { program, system } = describeUserAgent(userAgent ?? '') ?? {};
      const nowMs = clock.nowMs();
      const places = transaction.selectFrom('sign_in_places').select('hash').where('user_id', '=', userId);
      const known = await places.where('seen_at', '>', nowMs - KNOWN_MS).execute();
      const hash = hashSecret(JSON.stringify([program ?? null, system ?? null, networkOf(address ?? '')]));
      await transaction
        .insertInto('sign_in_places')
        .values({ user_id: userId, hash, seen_at: nowMs })
        .onConflict((conflict) => conflict.columns(['user_id', 'hash']).doUpdateSet({ seen_at: nowMs }))
        .execute();
      if (known.length === 0 || known.some((one) => one.hash === hash)) return;
      const users = transaction.selectFrom('auth_users').select(['name', 'email', 'language']);
      const user = await users.where('id', '=', userId).executeTakeFirstOrThrow();
      const device = program !== undefined && system !== undefined ? `${program} on ${system}` : (program ?? system);
      const link = new URL('/sessions', baseUrl).href;
      const letter = { kind: 'new_sign_in', name: user.name, device, address, atMs: nowMs, link } as const;
      await mail.outbox.put({ to: user.email, language: user.language ?? 'en', letter }, transaction);
    },
  };
}

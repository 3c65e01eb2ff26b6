import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createSecret, hashSecret } from '../secrets/secrets.ts';

/** The life of a challenge: how long a person has to use the passkey. */
export const CHALLENGE_MS = 5 * 60_000;

/** The purpose of a challenge, and who asked for it. It is valid for both only. */
export type ChallengePurpose =
  | { readonly to: 'sign-in'; readonly browser: string }
  | { readonly to: 'register'; readonly session: string };

/** The challenges that passkeys sign: 256 random bits, valid once, for {@link CHALLENGE_MS}. Stored as hashes. */
export type Challenges = ReturnType<typeof createChallenges>;

export interface CreateChallengesOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}

export function createChallenges({ db, clock }: CreateChallengesOptions) {
  const hash = (challenge: string, purpose: ChallengePurpose) => hashSecret(JSON.stringify([purpose, challenge]));
  return {
    /** Base64url. */
    async issue(purpose: ChallengePurpose): Promise<string> {
      const challenge = createSecret();
      const nowMs = clock.nowMs();
      await db.deleteFrom('passkey_challenges').where('expires_at', '<=', nowMs).execute();
      const row = { hash: hash(challenge, purpose), expires_at: nowMs + CHALLENGE_MS };
      await db.insertInto('passkey_challenges').values(row).execute();
      return challenge;
    },
    /** Uses up a challenge. Returns whether it was valid. */
    async use(challenge: string, purpose: ChallengePurpose): Promise<boolean> {
      const used = await db
        .deleteFrom('passkey_challenges')
        .where('hash', '=', hash(challenge, purpose))
        .where('expires_at', '>', clock.nowMs())
        .executeTakeFirst();
      return used.numDeletedRows > 0n;
    },
  };
}

import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createSecret, hashSecret } from '../secrets/secrets.ts';

/** How long people have to answer the browser's question. */
export const CHALLENGE_MS = 5 * 60_000;

/** What a challenge is for, and who asked for it: nobody else can use it, and for nothing else. */
export type ChallengePurpose =
  | { readonly to: 'sign-in'; readonly browser: string }
  | { readonly to: 'register'; readonly session: string };

/** What passkeys sign: 256 random bits that are good once, for {@link CHALLENGE_MS}, for whom they were made. Kept as hashes. */
export interface Challenges {
  /** Base64url. */
  issue(purpose: ChallengePurpose): Promise<string>;
  /** Whether it was good; it isn't any more. */
  use(challenge: string, purpose: ChallengePurpose): Promise<boolean>;
}

export interface CreateChallengesOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}

export function createChallenges({ db, clock }: CreateChallengesOptions): Challenges {
  const hash = (challenge: string, purpose: ChallengePurpose) => hashSecret(JSON.stringify([purpose, challenge]));
  return {
    async issue(purpose) {
      const challenge = createSecret();
      const nowMs = clock.nowMs();
      await db.deleteFrom('passkey_challenges').where('expires_at', '<=', nowMs).execute();
      const row = { hash: hash(challenge, purpose), expires_at: nowMs + CHALLENGE_MS };
      await db.insertInto('passkey_challenges').values(row).execute();
      return challenge;
    },
    async use(challenge, purpose) {
      const used = await db
        .deleteFrom('passkey_challenges')
        .where('hash', '=', hash(challenge, purpose))
        .where('expires_at', '>', clock.nowMs())
        .executeTakeFirst();
      return used.numDeletedRows > 0n;
    },
  };
}

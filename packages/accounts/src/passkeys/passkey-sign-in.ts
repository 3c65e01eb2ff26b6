import { createError, type PasskeySignInOptions, type PasskeySignInRequest } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { auditPerson, type ServiceDeps } from '../audit/audit-log.ts';
import { createRateLimiter } from '../limits/rate-limiter.ts';
import type { SessionPlace } from '../sessions/session-place.ts';
import type { NewSession, Sessions } from '../sessions/sessions.ts';
import { CHALLENGE_MS, type Challenges } from './challenges.ts';
import { checkPasskeyUse, readChallenge } from './check-passkey.ts';
import { requireParty, toUserHandle } from './passkeys.ts';
import type { RelyingParty } from './relying-party.ts';

/** Challenges per address. Each visit of the sign-in page takes one, and an office may share one address. */
const BEGIN_RULE = { windowSeconds: 60, max: 120 } as const;
/** Attempts per address, as with passwords. */
const FINISH_RULE = { windowSeconds: 60, max: 10 } as const;

/** The browser that signs in, and its address. */
export interface PasskeyVisitor extends SessionPlace {
  /** The secret of the browser's cookie; undefined without one. */
  readonly browser: string | undefined;
  readonly requestId: string;
}

/**
 * Signing in with a passkey that the authenticator finds by itself. Invariants:
 * 1. No request names a person before the signature, so no answer reveals who has an account or a passkey.
 * 2. A challenge is valid once, for five minutes, in the browser that asked for it.
 * 3. A counter that doesn't go up means a cloned passkey: the sign-in is refused and recorded in the audit log.
 */
export type PasskeySignIn = ReturnType<typeof createPasskeySignIn>;

export interface CreatePasskeySignInOptions extends ServiceDeps {
  readonly logger: Logger;
  readonly sessions: Pick<Sessions, 'create'>;
  readonly challenges: Challenges;
  readonly party: RelyingParty | undefined;
}

export function createPasskeySignIn(options: CreatePasskeySignInOptions) {
  const { db, clock, logger, audit, sessions, challenges } = options;
  const limiter = createRateLimiter(clock);

  /** @throws when the answer is invalid in any way. */
  const check = async (request: PasskeySignInRequest, browser: string | undefined) => {
    const party = requireParty(options.party);
    const challenge = readChallenge(request.response.clientDataJSON);
    if (browser === undefined || !(await challenges.use(challenge, { to: 'sign-in', browser }))) {
      throw new Error('the challenge is unknown, used, expired or from another browser');
    }
    const passkeys = db.selectFrom('passkeys').selectAll().where('credential_id', '=', request.id);
    const passkey = await passkeys.executeTakeFirst();
    if (!passkey) throw new Error('the passkey is unknown');
    const { userHandle } = request.response;
    if (userHandle != null && userHandle !== toUserHandle(passkey.user_id)) {
      throw new Error('the passkey belongs to another person');
    }
    return { passkey, use: await checkPasskeyUse(request, passkey, challenge, party) };
  };

  const refuse = (reason: string) => {
    logger.warn({ part: 'passkeys', reason }, 'a passkey sign-in was rejected');
    return createError('unauthenticated', 'The passkey was not accepted. Try again, or sign in another way.');
  };

  return {
    /** @throws `not_available`, `too_many_requests` */
    async begin(browser: string, address: string | undefined): Promise<PasskeySignInOptions> {
      const party = requireParty(options.party);
      limiter.take(`begin ${address ?? ''}`, BEGIN_RULE);
      const challenge = await challenges.issue({ to: 'sign-in', browser });
      return { challenge, timeout: CHALLENGE_MS, rpId: party.id, userVerification: 'required' };
    },

    /** Begins a session. @throws `unauthenticated`, `not_available`, `too_many_requests` */
    async finish(request: PasskeySignInRequest, { browser, requestId, ...place }: PasskeyVisitor): Promise<NewSession> {
      requireParty(options.party);
      limiter.take(`finish ${place.address ?? ''}`, FINISH_RULE);
      const { passkey, use } = await check(request, browser).catch((error: unknown) => {
        throw refuse(String(error));
      });
      const { id: target, user_id: userId } = passkey;
      const actor = { kind: 'session', id: userId } as const;
      const signedIn = await db.transaction().execute(async (transaction) => {
        const change = { counter: use.counter, is_synced: use.isSynced ? 1 : 0, last_used_at: clock.nowMs() };
        // Compared in the write: of two concurrent uses with the same counter, one must fail.
        const { numUpdatedRows } = await transaction
          .updateTable('passkeys')
          .set(change)
          .where('id', '=', target)
          .where((eb) => (use.counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', use.counter)))
          .executeTakeFirst();
        const isCopy = numUpdatedRows === 0n;
        const action = isCopy ? 'passkey.refuse' : 'passkey.sign_in';
        const details = { name: passkey.name, ...(isCopy ? { reason: 'counter' } : {}) };
        await auditPerson(audit, userId, { actor, requestId, action, target, details }, transaction);
        if (isCopy) return undefined;
        const users = transaction.selectFrom('auth_users').select(['id', 'name', 'email']);
        const user = await users.where('id', '=', userId).executeTakeFirstOrThrow();
        return { token: await sessions.create(userId, place, transaction), user };
      });
      if (!signedIn) throw refuse('its counter did not increase: it may be cloned');
      return signedIn;
    },
  };
}

import { createError } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { MailOutbox, MailTransport } from '@berth/mail';
import type { Kysely } from 'kysely';
import { createAttemptCounter } from '../limits/attempt-counter.ts';
import { hashSecret } from '../secrets/secrets.ts';

/** Mails that callers may cause, per receiving address and per account. A window as long as those of other attempts. */
const ADDRESS_LIMIT = { windowSeconds: 15 * 60, max: 5 } as const;
const ACCOUNT_LIMIT = { windowSeconds: 15 * 60, max: 50 } as const;

/** The platform's e-mail, as the server is set up for it. */
export interface MailSetup {
  readonly outbox: MailOutbox;
  readonly transport: MailTransport;
}

/** E-mail as the services of accounts use it. */
export interface AccountMail extends MailSetup {
  /** Counts a mail to an address, for an account or a person. @throws `too_many_requests` */
  take(address: string, owner?: string): Promise<void>;
}

/** Options of {@link createAccountMail}. */
export interface CreateAccountMailOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly isShared?: boolean | undefined;
  /** Undefined when the server sends no mail. */
  readonly mail?: MailSetup | undefined;
}

/** Adds limits to the platform's e-mail; returns undefined when the server sends none. */
export function createAccountMail(options: CreateAccountMailOptions): AccountMail | undefined {
  const { mail, isShared = false, ...deps } = options;
  if (!mail) return undefined;
  const addresses = createAttemptCounter({ ...deps, isShared, limit: ADDRESS_LIMIT });
  const owners = createAttemptCounter({ ...deps, isShared, limit: ACCOUNT_LIMIT });
  return {
    ...mail,
    async take(address, owner) {
      if (owner !== undefined) await owners.take(`mail of ${owner}`);
      // Hashed, so that a long address takes no more memory than a short one.
      await addresses.take(hashSecret(`mail to ${address.toLowerCase()}`));
    },
  };
}

/** @throws `not_available` when the server sends no mail */
export function requireMail(mail: AccountMail | undefined): AccountMail {
  if (mail) return mail;
  throw createError('not_available', 'This platform sends no e-mail. Ask its operator, or an owner of your account.');
}

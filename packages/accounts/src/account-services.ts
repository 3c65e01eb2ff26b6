import type { Database } from '@berth/database';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createAuditLog } from './audit/audit-log.ts';
import { createDeviceGrants } from './devices/device-grants.ts';
import { createKeys } from './keys/keys.ts';
import { createAccountMail, type MailSetup } from './mail/account-mail.ts';
import { createInvites } from './members/invites.ts';
import { createMembers } from './members/members.ts';
import { createOidcSignIn } from './oidc/create-oidc-sign-in.ts';
import type { OidcProvider } from './oidc/parse-oidc-providers.ts';
import { createChallenges } from './passkeys/challenges.ts';
import { createPasskeySignIn } from './passkeys/passkey-sign-in.ts';
import { createPasskeys } from './passkeys/passkeys.ts';
import { findRelyingParty } from './passkeys/relying-party.ts';
import { createPasswordResets } from './passwords/password-resets.ts';
import { createPasswords } from './passwords/passwords.ts';
import { createAccounts } from './people/accounts.ts';
import { createEmailChanges } from './people/email-changes.ts';
import { createFirstRun } from './people/first-run.ts';
import { createAuthenticator } from './sessions/authenticate.ts';
import { createBrowserCookie } from './sessions/browser-cookie.ts';
import { createSessions } from './sessions/sessions.ts';
import { createSignInNotices } from './sessions/sign-in-notices.ts';

/** Options of {@link createAccountServices}. */
export interface CreateAccountServicesOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Seals what a browser keeps while it is at a provider; at least 32 random characters, the same after a restart. */
  readonly authSecret: string;
  /** Secrets that other servers may seal it with while the secret is being rotated. */
  readonly otherAuthSecrets?: readonly string[];
  /** The address of the API, e.g. `http://localhost:8787`. */
  readonly baseUrl: string;
  /** Further host names that serve the console. */
  readonly consoleHosts?: readonly string[] | undefined;
  /** Several servers use the database, so that attempts at a password are counted there; false by default. */
  readonly isShared?: boolean | undefined;
  /** Outside providers that people may sign in with. */
  readonly oidcProviders?: readonly OidcProvider[] | undefined;
  /** Undefined when the server sends no mail. */
  readonly mail?: MailSetup | undefined;
}

/** Accounts, people, ways to sign in and the audit log, over one database. */
export type AccountServices = ReturnType<typeof createAccountServices>;

/** Creates the services of accounts. */
export function createAccountServices(options: CreateAccountServicesOptions) {
  const audit = createAuditLog(options);
  const keys = createKeys({ ...options, audit });
  const accounts = createAccounts({ ...options, keys, audit });
  // The session of the platform's pages.
  const sessionCookie = createBrowserCookie(options.baseUrl, 'berth_session');
  const authenticate = createAuthenticator({ ...options, cookie: sessionCookie });
  const accountMail = createAccountMail(options);
  const signInNotices = accountMail && createSignInNotices({ ...options, mail: accountMail });
  const sessions = createSessions({ ...options, signInNotices });
  const passwords = createPasswords({ ...options, accounts, sessions, audit });
  const passwordResets = createPasswordResets({ ...options, audit, sessions, accountMail });
  const ofPasskeys = {
    audit,
    challenges: createChallenges(options),
    party: findRelyingParty(options.baseUrl, options.consoleHosts),
  };
  const passkeys = createPasskeys({ ...options, ...ofPasskeys, sessions });
  const passkeySignIn = createPasskeySignIn({ ...options, ...ofPasskeys, sessions });
  const passkeyCookie = createBrowserCookie(options.baseUrl, 'berth_passkey');
  const firstRun = createFirstRun({ ...options, audit, sessions });
  const devices = createDeviceGrants({ ...options, audit, sessions });
  const members = createMembers({ ...options, audit });
  const emailChanges = createEmailChanges({ ...options, audit, sessions, accountMail });
  const invites = createInvites({ ...options, audit, sessions, accountMail });
  const providers = options.oidcProviders ?? [];
  const oidc = createOidcSignIn({ ...options, audit, sessions, invites, providers });
  return {
    accounts,
    keys,
    audit,
    passwords,
    passwordResets,
    accountMail,
    emailChanges,
    sessionCookie,
    authenticate,
    sessions,
    firstRun,
    devices,
    members,
    invites,
    oidc,
    passkeys,
    passkeySignIn,
    passkeyCookie,
    relyingParty: ofPasskeys.party,
  };
}

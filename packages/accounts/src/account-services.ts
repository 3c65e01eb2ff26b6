import type { Database } from '@berth/database';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import { type AuditLog, createAuditLog } from './audit/audit-log.ts';
import { createDeviceGrants, type DeviceGrants } from './devices/device-grants.ts';
import { createKeys, type Keys } from './keys/keys.ts';
import { createInvites, type Invites } from './members/invites.ts';
import { createMembers, type Members } from './members/members.ts';
import { createOidcSignIn, type OidcSignIn } from './oidc/create-oidc-sign-in.ts';
import type { OidcProvider } from './oidc/parse-oidc-providers.ts';
import { createChallenges } from './passkeys/challenges.ts';
import { createPasskeySignIn, type PasskeySignIn } from './passkeys/passkey-sign-in.ts';
import { createPasskeys, type Passkeys } from './passkeys/passkeys.ts';
import { findRelyingParty, type RelyingParty } from './passkeys/relying-party.ts';
import { createPasswords, type Passwords } from './passwords/passwords.ts';
import { type Accounts, createAccounts } from './people/accounts.ts';
import { createFirstRun, type FirstRun } from './people/first-run.ts';
import { type Authenticate, createAuthenticator } from './sessions/authenticate.ts';
import { type BrowserCookie, createBrowserCookie } from './sessions/browser-cookie.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';

/** Accounts, keys, sessions and the audit log over one database. */
export interface AccountServices {
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly devices: DeviceGrants;
  readonly members: Members;
  readonly invites: Invites;
  readonly firstRun: FirstRun;
  readonly passkeys: Passkeys;
  readonly passkeySignIn: PasskeySignIn;
  readonly passkeyCookie: BrowserCookie;
  readonly relyingParty: RelyingParty | undefined;
  readonly oidc: OidcSignIn;
  readonly audit: AuditLog;
  readonly passwords: Passwords;
  /** The cookie that holds the session of the platform's pages. */
  readonly sessionCookie: BrowserCookie;
  readonly authenticate: Authenticate;
}

/** Options of {@link createAccountServices}. */
export interface CreateAccountServicesOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Seals what a browser keeps while it is at a provider; at least 32 random characters, the same after a restart. */
  readonly authSecret: string;
  /** The address of the API, e.g. `http://localhost:8787`. */
  readonly baseUrl: string;
  /** Further host names that serve the console. */
  readonly consoleHosts?: readonly string[] | undefined;
  /** Outside providers that people may sign in with. */
  readonly oidcProviders?: readonly OidcProvider[] | undefined;
}

export function createAccountServices(options: CreateAccountServicesOptions): AccountServices {
  const audit = createAuditLog(options);
  const keys = createKeys({ ...options, audit });
  const accounts = createAccounts({ ...options, keys, audit });
  const sessionCookie = createBrowserCookie(options.baseUrl, 'berth_session');
  const authenticate = createAuthenticator({ ...options, cookie: sessionCookie });
  const sessions = createSessions(options);
  const passwords = createPasswords({ ...options, accounts, sessions, audit });
  const ofPasskeys = {
    audit,
    challenges: createChallenges(options),
    party: findRelyingParty(options.baseUrl, options.consoleHosts),
  };
  const passkeys = createPasskeys({ ...options, ...ofPasskeys });
  const passkeySignIn = createPasskeySignIn({ ...options, ...ofPasskeys, sessions });
  const passkeyCookie = createBrowserCookie(options.baseUrl, 'berth_passkey');
  const firstRun = createFirstRun({ ...options, audit, sessions });
  const devices = createDeviceGrants({ ...options, audit, sessions });
  const members = createMembers({ ...options, audit });
  const invites = createInvites({ ...options, audit, sessions });
  const providers = options.oidcProviders ?? [];
  const oidc = createOidcSignIn({ ...options, audit, sessions, invites, providers });
  return {
    accounts,
    keys,
    audit,
    passwords,
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

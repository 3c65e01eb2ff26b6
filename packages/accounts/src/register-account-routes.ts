import type { Database } from '@berth/database';
import type { Clock, IdSource } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { AccountServices } from './account-services.ts';
import { registerDeviceRoutes } from './devices/register-device-routes.ts';
import type { Api } from './http/api.ts';
import { registerInviteRoutes } from './members/register-invite-routes.ts';
import { registerMemberRoutes } from './members/register-member-routes.ts';
import { registerOidcRoutes } from './oidc/register-oidc-routes.ts';
import { registerPasskeyRoutes } from './passkeys/register-passkey-routes.ts';
import { registerPasskeySignInRoutes } from './passkeys/register-passkey-sign-in-routes.ts';
import { registerBeginFirstRun } from './routes/begin-first-run.ts';
import { registerChangePassword } from './routes/change-password.ts';
import { registerChangeProfile } from './routes/change-profile.ts';
import { registerCreateAccount } from './routes/create-account.ts';
import { registerCreateKey } from './routes/create-key.ts';
import { registerEndOtherSessions } from './routes/end-other-sessions.ts';
import { registerEndSession } from './routes/end-session.ts';
import { registerGetSession } from './routes/get-session.ts';
import { registerGetUser } from './routes/get-user.ts';
import { registerListAudit } from './routes/list-audit.ts';
import { registerListKeys } from './routes/list-keys.ts';
import { registerListSessions } from './routes/list-sessions.ts';
import { registerMailRoutes } from './routes/mail.ts';
import { registerPasswordResetRoutes } from './routes/reset-password.ts';
import { registerRevokeKey } from './routes/revoke-key.ts';
import { registerSignIn } from './routes/sign-in.ts';
import { registerSignOut } from './routes/sign-out.ts';
import { registerSignUp } from './routes/sign-up.ts';

/** The dependencies of the account routes. */
export interface AccountRouteDeps extends Omit<AccountServices, 'authenticate'> {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Whether strangers may create accounts. */
  readonly isSignUpAllowed: boolean;
  /** The address of the API. */
  readonly baseUrl: string;
}

/** `/v1/user…`, `/v1/auth/…` and `/v1/admin/accounts`. */
export function registerAccountRoutes(api: Api, deps: AccountRouteDeps): void {
  registerGetUser(api, deps);
  registerChangeProfile(api, deps);
  registerListKeys(api, deps);
  registerCreateKey(api, deps);
  registerRevokeKey(api, deps);
  registerListAudit(api, deps);
  registerListSessions(api, deps);
  registerEndSession(api, deps);
  registerEndOtherSessions(api, deps);
  registerDeviceRoutes(api, deps);
  registerMemberRoutes(api, deps);
  registerInviteRoutes(api, deps);
  registerPasswordResetRoutes(api, deps);
  registerMailRoutes(api, deps);
  registerPasskeyRoutes(api, deps);
  registerPasskeySignInRoutes(api, deps);
  registerCreateAccount(api, deps);
  registerBeginFirstRun(api, deps);
  registerSignIn(api, deps);
  registerSignUp(api, deps);
  registerGetSession(api, deps);
  registerChangePassword(api, deps);
  registerSignOut(api, deps);
  registerOidcRoutes(api, deps);
}

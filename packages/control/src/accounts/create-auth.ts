import type { SignInRequest } from '@berth/contract';
import type { Database } from '@berth/database';
import { type Clock, type IdSource, type Logger, runInBackground } from '@berth/kit';
import { betterAuth } from 'better-auth/minimal';
import { bearer } from 'better-auth/plugins/bearer';
import type { Kysely } from 'kysely';
import { createAuthAdapter } from './auth-adapter.ts';
import { type BrowserCookie, createBrowserCookie } from './browser-cookie.ts';
import { hashSecret } from './key-secret.ts';
import { createPasswordAttempts } from './password-attempts.ts';
import { createSignInLimiter } from './sign-in-limiter.ts';

/** The longest life of a session that is not refreshed. Source: docs/contract/control-plane.md §8. */
export const SESSION_SECONDS = 24 * 60 * 60;

/** A session that is asked for after this long gets its whole life back. */
const REFRESH_AFTER_SECONDS = 60 * 60;

/** How long an ended session is remembered, so that its token is refused with the reason. */
const KEEP_EXPIRED_MS = 7 * 24 * 60 * 60 * 1_000;

/** Where better-auth's paths begin. */
export const AUTH_BASE_PATH = '/v1/auth';

/** The header that carries the address of the caller to better-auth; one that a client sends is dropped. */
export const CLIENT_ADDRESS_HEADER = 'x-berth-client-address';

/** Attempts at passwords per network address: 10 a minute. Those per person are counted by `PasswordAttempts`. */
const PASSWORD_RULE = { window: 60, max: 10 } as const;

const ID_PREFIXES: Readonly<Record<string, string>> = { user: 'usr', session: 'ses', account: 'cre' };

/** What sessions are made of. */
export interface CreateAuthOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Signs what is handed out; at least 32 random characters, the same after a restart. */
  readonly secret: string;
  /** Where the API is reached, e.g. `http://localhost:8787`. */
  readonly baseUrl: string;
  /** Called for a person who signed up by themselves. */
  onSignUp(user: { readonly id: string; readonly email: string }): Promise<void>;
}

/** Users, passwords and sessions: better-auth on our tables. */
export interface Auth {
  /** Answers a request to a path under {@link AUTH_BASE_PATH} in better-auth's own shapes, and counts attempts at passwords. */
  handle(request: Request): Promise<Response>;
  /** How browsers keep their session. */
  readonly cookie: BrowserCookie;
}

export function createAuth({ db, clock, ids, logger, secret, baseUrl, onSignUp }: CreateAuthOptions): Auth {
  const limiter = createSignInLimiter(clock);
  const attempts = createPasswordAttempts({ db, clock });
  /** Whose password a request gives; undefined for the requests that give none. */
  const emailOf = async (request: Request): Promise<string | undefined> => {
    const path = new URL(request.url).pathname;
    if (path === `${AUTH_BASE_PATH}/sign-in/email`) return ((await request.clone().json()) as SignInRequest).email;
    if (path !== `${AUTH_BASE_PATH}/change-password`) return undefined;
    const token = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const users = db
      .selectFrom('auth_sessions as session')
      .innerJoin('auth_users as user', 'user.id', 'session.user_id');
    return (await users.select('user.email').where('session.token', '=', hashSecret(token)).executeTakeFirst())?.email;
  };
  const forgetExpired = () =>
    db
      .deleteFrom('auth_sessions')
      .where('expires_at', '<', clock.nowMs() - KEEP_EXPIRED_MS)
      .execute();
  const auth = betterAuth({
    appName: 'Berth',
    baseURL: baseUrl,
    basePath: AUTH_BASE_PATH,
    // `secrets`, because better-auth prefers an environment variable to `secret`.
    secrets: [{ version: 1, value: secret }],
    database: createAuthAdapter(db),
    // Without sign-in of its own, sign-up answers alike, and after the same work, whether or not the address is taken.
    emailAndPassword: { enabled: true, minPasswordLength: 12, maxPasswordLength: 128, autoSignIn: false },
    session: {
      modelName: 'auth_sessions',
      expiresIn: SESSION_SECONDS,
      updateAge: REFRESH_AFTER_SECONDS,
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    user: {
      modelName: 'auth_users',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    account: {
      modelName: 'auth_accounts',
      fields: {
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'auth_verifications',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    databaseHooks: {
      user: { create: { after: onSignUp } },
      session: { create: { after: async () => runInBackground('forget expired sessions', forgetExpired(), logger) } },
    },
    plugins: [bearer()],
    rateLimit: {
      enabled: true,
      window: 10,
      max: 100,
      customStorage: limiter,
      customRules: {
        '/sign-in/email': PASSWORD_RULE,
        '/sign-up/email': PASSWORD_RULE,
        '/change-password': PASSWORD_RULE,
      },
    },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      disableColors: true,
      // Its extra arguments may hold what a person typed.
      log: (level, message) => logger[level]({ part: 'better-auth' }, message),
    },
    advanced: {
      database: { generateId: ({ model }) => ids.next(ID_PREFIXES[model] ?? 'ath'), validateSchema: false },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // What better-auth takes from NODE_ENV otherwise.
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
  });
  return {
    cookie: createBrowserCookie(baseUrl, 'berth_session'),
    async handle(request) {
      const email = await emailOf(request);
      if (email === undefined) return auth.handler(request);
      const attempt = await attempts.take(email, request.headers.get(CLIENT_ADDRESS_HEADER) ?? '');
      if (attempt.retryAfter !== null) {
        return new Response(null, { status: 429, headers: { 'x-retry-after': String(attempt.retryAfter) } });
      }
      const response = await auth.handler(request);
      // Neither the right password nor a request that the limit per address stopped is an attempt.
      if (response.ok || response.status === 429) attempt.giveBack();
      return response;
    },
  };
}

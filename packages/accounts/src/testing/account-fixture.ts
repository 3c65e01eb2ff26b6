import crypto from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CreatedAccount } from '@berth/contract';
import type { Database } from '@berth/database';
import { createTestSealer, openTestDatabase } from '@berth/database/testing';
import { createIdSource, type IdSource, type Logger } from '@berth/kit';
import { createMailCourier, createMailOutbox, type MailTransport } from '@berth/mail';
import { createFakeClock, createRecordingLogger, type FakeClock } from '@berth/testkit';
import type { Kysely } from 'kysely';
import { type AccountServices, createAccountServices } from '../account-services.ts';
import { SYSTEM_SOURCE } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { createApi } from '../http/create-api.ts';
import type { MailSetup } from '../mail/account-mail.ts';
import type { OidcProvider } from '../oidc/parse-oidc-providers.ts';
import { registerAccountRoutes } from '../register-account-routes.ts';
import { createKeySecret } from '../secrets/secrets.ts';

/** A request of a test. */
export interface FixtureCall {
  /** `X-API-Key`. */
  readonly key?: string;
  /** `Authorization: Bearer`. */
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the request comes from; absent: from no socket. */
  readonly address?: string;
  readonly json?: unknown;
}

/** An answer, read. */
export interface FixtureAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
}

/** The API with accounts on a database in a folder of its own: the operator's account and one other. */
export interface AccountFixture extends AsyncDisposable {
  readonly folder: string;
  readonly db: Kysely<Database>;
  /** Starts at the machine's time. */
  readonly clock: FakeClock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Everything logged, a JSON text a line. */
  readonly logLines: readonly string[];
  readonly services: AccountServices;
  readonly api: Api;
  /** A key of the operator with all scopes. */
  readonly operatorKey: string;
  /** An account with all scopes that is not the operator's. */
  readonly other: CreatedAccount;
  call(method: string, route: string, options?: FixtureCall): Promise<FixtureAnswer>;
}

/** What may differ from a test to another. */
export interface AccountFixtureOptions {
  readonly isSignUpAllowed?: boolean;
  /** Where the API is reached; `http://localhost:8787` when absent. */
  readonly baseUrl?: string;
  readonly consoleHosts?: readonly string[];
  /** Outside providers to sign in with. */
  readonly oidcProviders?: readonly OidcProvider[];
  /** Passwords are hashed at full cost, a tenth of a second each, for tests of how long that takes. */
  readonly hasSlowPasswords?: boolean;
  /** Receives the mails that are sent; without it the platform has no SMTP settings. */
  mail?(mail: Parameters<MailTransport['send']>[0]): void;
  /** Registers more routes. */
  extend?(api: Api): void;
}

const { scrypt } = crypto;

/** Sets what a hash of a password costs, in the module that makes them. Most of the time of these tests would be hashes. */
function setPasswordCost(isFull: boolean): void {
  const cheap = (password: string, salt: string, bytes: number, cost: crypto.ScryptOptions, done: () => void) =>
    scrypt(password, salt, bytes, { ...cost, N: 16 }, done);
  crypto.scrypt = isFull ? scrypt : (cheap as typeof scrypt);
  syncBuiltinESMExports();
}

/** Opens an outbox whose mails go to `receive`. */
function openMail(
  deps: Pick<AccountFixture, 'db' | 'clock' | 'ids' | 'logger'>,
  receive: NonNullable<AccountFixtureOptions['mail']>,
): MailSetup {
  const outbox = createMailOutbox({ ...deps, sealer: createTestSealer() });
  const transport: MailTransport = { send: async (mail) => receive(mail) };
  const { signal } = new AbortController();
  const leases = {
    run: async <T>(_name: string, work: (lease: { signal: AbortSignal; require(): Promise<void> }) => Promise<T>) => ({
      value: await work({ signal, require: async () => {} }),
    }),
  };
  createMailCourier({ ...deps, outbox, transport, leases }).start();
  return { outbox, transport };
}

export async function createAccountFixture(options: AccountFixtureOptions = {}): Promise<AccountFixture> {
  setPasswordCost(options.hasSlowPasswords ?? false);
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-control-'));
  const { db, close } = await openTestDatabase(path.join(folder, 'berth.db'));
  const clock = createFakeClock(Date.now());
  const ids = createIdSource();
  const logLines: string[] = [];
  const logger = createRecordingLogger(logLines);
  const authSecret = createKeySecret();
  const { consoleHosts, baseUrl = 'http://localhost:8787', oidcProviders } = options;
  const mail = options.mail && openMail({ db, clock, ids, logger }, options.mail);
  const services = createAccountServices({
    ...{ db, clock, ids, logger, authSecret, baseUrl, oidcProviders, consoleHosts },
    mail,
  });
  const api = createApi({ logger, clock, ids, authenticate: services.authenticate });
  const isSignUpAllowed = options.isSignUpAllowed ?? false;
  registerAccountRoutes(api, { ...services, db, clock, ids, isSignUpAllowed, baseUrl });
  options.extend?.(api);
  const operatorKey = createKeySecret();
  await services.accounts.ensureOperator({ secret: operatorKey });
  const other = await services.accounts.create({ name: 'other' }, SYSTEM_SOURCE);
  return {
    folder,
    db,
    clock,
    ids,
    logger,
    logLines,
    services,
    api,
    operatorKey,
    other,
    async call(method, route, { key, bearer, headers = {}, address, json } = {}) {
      const init = {
        method,
        headers: {
          ...(key === undefined ? {} : { 'X-API-Key': key }),
          ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      };
      const response = await api.request(route, init, address === undefined ? undefined : { clientAddress: address });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    async [Symbol.asyncDispose]() {
      // Notes of the use of keys are written beside the requests; closing waits for them.
      await close();
      setPasswordCost(true);
      rmSync(folder, { recursive: true });
    },
  };
}

import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { Client } from 'acme-client';
import type { DnsChallenges } from '../dns/dns-records.ts';
import type { Certificates } from '../store/create-certificates.ts';
import { renewAtMs } from '../store/validity.ts';
import { type AccountText, type AcmeAccountStore, createAcmeAccountStore } from './acme-account.ts';
import { AcmeFailure } from './acme-failure.ts';
import { createAcmeTransport } from './acme-transport.ts';
import { type ChallengeAnswers, type ChallengeResponses, createChallengeResponses } from './challenge-responses.ts';
import { connectAcme, type ExternalAccount } from './connect-acme.ts';
import { issueCertificate } from './issue-certificate.ts';
import { openRetryLedger, type RetryLedger } from './retry-ledger.ts';

/** The state of a host name's certificate. */
export interface AcmeNameStatus {
  readonly name: string;
  /**
   * `issued`: the name has a certificate. `ordering`: its first order is running. `waiting`: for the next attempt or a
   * free slot.
   */
  readonly state: 'issued' | 'ordering' | 'waiting';
  /** Expiry of the certificate; epoch milliseconds, wall clock. */
  readonly notAfterMs?: number;
  /** Reason of the last failed order. `retryAtMs` is the time of the next attempt; epoch milliseconds, wall clock. */
  readonly problem?: string;
  readonly retryAtMs?: number;
}

/** Orders and renews certificates for host names. */
export interface Acme {
  /** Challenge responses for the plain HTTP listener. */
  readonly challenges: ChallengeResponses;
  /**
   * Replaces the set of names that need a certificate. Names covered by a valid certificate of the operator aren't
   * ordered.
   */
  setNames(names: Iterable<string>): void;
  /** Retries `name` soon, as far as the server's rate limits allow. Call this after fixing the cause of a failure. */
  retry(name: string): void;
  /** Returns the state of every name. */
  status(): readonly AcmeNameStatus[];
  /** Cancels running orders. Idempotent. */
  close(): Promise<void>;
}

/** Options of {@link createAcme}. */
export interface AcmeOptions {
  /** E.g. `https://acme-v02.api.letsencrypt.org/directory`. */
  readonly directoryUrl: string;
  readonly email?: string;
  readonly externalAccount?: ExternalAccount;
  /** PEM of certificate authorities to trust in addition to the machine's, for a private ACME server. */
  readonly ca?: string;
  /** Folder for the account's key and the record of failed orders; created if missing. */
  readonly folder: string;
  readonly certificates: Pick<Certificates, 'find' | 'add'>;
  /** A domain whose certificate, for itself and its wildcard, is obtained by dns-01. Other names are proven by http-01. */
  readonly wildcard?: { readonly domain: string; readonly dns: DnsChallenges } | undefined;
  /** Storage that several servers share, in place of the folder and this process's memory. */
  readonly shared?: { readonly answers: ChallengeAnswers; readonly account: AccountText } | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum number of orders at a time, so that many new names don't open many connections. */
const MAX_ORDERS = 2;

/** Maximum time between checks for due names, because the operator's files and the wall clock may change. */
const MAX_WAIT_MS = 3_600_000;
const MIN_WAIT_MS = 1_000;

/**
 * Starts to order and renew certificates for the names given to `setNames`. Invariants: at most one order per name runs
 * at a time; a failed name is not ordered before its retry time, also across restarts; a certificate is served until
 * its successor is on disk.
 */
export async function createAcme(options: AcmeOptions): Promise<Acme> {
  const { directoryUrl, folder, certificates, wildcard, clock, logger } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const challenges = createChallengeResponses(options.shared?.answers);
  const ledger = await openRetryLedger(folder, clock, logger);
  const accounts = createAcmeAccountStore(folder, directoryUrl, options.shared?.account);
  const transport = createAcmeTransport({ ca: options.ca, signal, nowMs: () => clock.nowMs() });
  const connection = createConnection(() => connectAcme({ ...options, accounts, transport }), accounts);
  const running = new Map<string, Promise<void>>();
  let wanted: ReadonlySet<string> = new Set();
  let timer: Timer | undefined;

  /** The names of the certificate that is ordered for `name`. */
  const namesOf = (name: string) => (name === wildcard?.domain ? [name, `*.${name}`] : [name]);
  const isBelowWildcard = (name: string) =>
    wildcard !== undefined && name.slice(name.indexOf('.') + 1) === wildcard.domain;

  const order = async (name: string): Promise<void> => {
    try {
      const client = await connection.open();
      const dns = name === wildcard?.domain ? wildcard.dns : undefined;
      const issued = await issueCertificate({ client, names: namesOf(name), dns, challenges, clock, signal });
      await certificates.add({ name, ...issued, source: directoryUrl });
      await ledger.recordSuccess(name);
      logger.info({ name }, 'certificate issued');
    } catch (error) {
      if (signal.aborted) return;
      await connection.failed(error);
      const { problem, failures, retryAtMs } = await ledger.recordFailure(name, error);
      const retryAt = new Date(retryAtMs).toISOString();
      logger.error({ name, problem, failures, retryAt }, 'a certificate could not be obtained');
      if (!(error instanceof AcmeFailure))
        logger.debug({ name, error: describeError(error) }, 'the order failed on this server');
    }
  };

  const start = (name: string) => {
    const work = order(name).finally(() => {
      running.delete(name);
      look();
    });
    running.set(name, work);
    runInBackground(`certificate of ${name}`, work, logger);
  };

  /** Starts the due orders and sets a timer for the next one. */
  const look = () => {
    timer?.cancel();
    if (signal.aborted) return;
    if (wildcard && wanted.has(wildcard.domain)) {
      runInBackground('DNS records of earlier orders', wildcard.dns.sweep(), logger);
    }
    let nextMs = clock.nowMs() + MAX_WAIT_MS;
    for (const name of wanted) {
      if (running.has(name)) continue;
      const neededMs = Math.min(...namesOf(name).map((one) => neededAtMs(certificates, one, directoryUrl)));
      const dueMs = Math.max(neededMs, ledger.find(name)?.retryAtMs ?? 0);
      if (dueMs > clock.nowMs()) nextMs = Math.min(nextMs, dueMs);
      else if (running.size < MAX_ORDERS) start(name);
      // If all slots are in use, the end of an order checks again.
    }
    timer = clock.setTimer(Math.max(MIN_WAIT_MS, nextMs - clock.nowMs()), look);
  };

  return {
    challenges,
    setNames(names) {
      // A certificate authority can't reach single-label names and doesn't prove wildcards over http-01. The certificate of a
      // domain with its wildcard is for the names below it too.
      wanted = new Set(
        [...names].filter((name) => name.includes('.') && !name.startsWith('*') && !isBelowWildcard(name)),
      );
      look();
    },
    retry(name) {
      ledger.hasten(name);
      look();
    },
    status: () => [...wanted].map((name) => statusOf(name, certificates, ledger, running.has(name))),
    async close() {
      closing.abort(new Error('the server is stopping'));
      timer?.cancel();
      await Promise.all(running.values());
    },
  };
}

/**
 * Returns the time at which `name` needs an order: now if this ACME server issued no certificate for it, otherwise the
 * renewal time.
 */
function neededAtMs(certificates: Pick<Certificates, 'find'>, name: string, directoryUrl: string): number {
  const found = certificates.find(name);
  if (!found) return 0;
  if (!found.stored) return found.notAfterMs;
  return found.stored.source === directoryUrl ? renewAtMs(found) : 0;
}

function statusOf(
  name: string,
  certificates: Pick<Certificates, 'find'>,
  ledger: RetryLedger,
  isRunning: boolean,
): AcmeNameStatus {
  const found = certificates.find(name);
  const failure = ledger.find(name);
  const state = found ? 'issued' : isRunning ? 'ordering' : 'waiting';
  return {
    name,
    state,
    ...(found ? { notAfterMs: found.notAfterMs } : {}),
    ...(failure ? { problem: failure.problem, retryAtMs: failure.retryAtMs } : {}),
  };
}

/** Shares one registered client among all orders. The first order creates the client. */
function createConnection(connect: () => Promise<Client>, accounts: AcmeAccountStore) {
  let current: Promise<Client> | undefined;
  return {
    open(): Promise<Client> {
      current ??= connect();
      return current;
    },
    /** Makes the next order connect again, with a new registration if the server no longer knows the account. */
    async failed(error: unknown): Promise<void> {
      current = undefined;
      if (!(error instanceof AcmeFailure) || error.type !== 'accountDoesNotExist') return;
      await accounts.save({ ...(await accounts.load()), accountUrl: null });
    },
  };
}

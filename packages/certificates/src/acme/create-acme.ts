import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { Client } from 'acme-client';
import type { Certificates } from '../store/create-certificates.ts';
import { renewAtMs } from '../store/validity.ts';
import { type AcmeAccountStore, createAcmeAccountStore } from './acme-account.ts';
import { AcmeFailure } from './acme-failure.ts';
import { createAcmeTransport } from './acme-transport.ts';
import { type ChallengeResponses, createChallengeResponses } from './challenge-responses.ts';
import { connectAcme, type ExternalAccount } from './connect-acme.ts';
import { issueCertificate } from './issue-certificate.ts';
import { openRetryLedger, type RetryLedger } from './retry-ledger.ts';

/** How a name stands. */
export interface AcmeNameStatus {
  readonly name: string;
  /** `issued`: it has a certificate; `ordering`: the first one is on its way; `waiting`: for the next try, or a free place. */
  readonly state: 'issued' | 'ordering' | 'waiting';
  /** End of its certificate; epoch milliseconds, wall clock. */
  readonly notAfterMs?: number;
  /** Why the last order failed, and when the next one is tried; epoch milliseconds, wall clock. */
  readonly problem?: string;
  readonly retryAtMs?: number;
}

/** Gets certificates for names and renews them. */
export interface Acme {
  /** For the plain HTTP listener. */
  readonly challenges: ChallengeResponses;
  /** All names that need a certificate, from now on. Names that a valid certificate of the operator covers cost nothing. */
  setNames(names: Iterable<string>): void;
  /** Something about `name` was put right: try again soon, within what the server's limits allow. */
  retry(name: string): void;
  status(): readonly AcmeNameStatus[];
  /** Ends running orders. Idempotent. */
  close(): Promise<void>;
}

export interface AcmeOptions {
  /** E.g. `https://acme-v02.api.letsencrypt.org/directory`. */
  readonly directoryUrl: string;
  readonly email?: string;
  readonly externalAccount?: ExternalAccount;
  /** PEM of certificate authorities to trust besides the machine's own, for a private ACME server. */
  readonly ca?: string;
  /** Keeps the account's key and what failed; made when missing. */
  readonly folder: string;
  readonly certificates: Pick<Certificates, 'find' | 'add'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Orders at once: a hundred new names must not become a hundred connections. */
const MAX_ORDERS = 2;

/** Due names are looked for at least this often, since the operator's files and the wall clock may change. */
const MAX_WAIT_MS = 3_600_000;
const MIN_WAIT_MS = 1_000;

/**
 * Invariants: one order at a time for a name; a name that failed is not ordered before its time, over restarts too; a
 * certificate serves until its successor is on disk.
 */
export async function createAcme(options: AcmeOptions): Promise<Acme> {
  const { directoryUrl, folder, certificates, clock, logger } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const challenges = createChallengeResponses();
  const ledger = await openRetryLedger(folder, clock, logger);
  const accounts = createAcmeAccountStore(folder, directoryUrl);
  const transport = createAcmeTransport({ ca: options.ca, signal, nowMs: () => clock.nowMs() });
  const connection = createConnection(() => connectAcme({ ...options, accounts, transport }), accounts);
  const running = new Map<string, Promise<void>>();
  let wanted: ReadonlySet<string> = new Set();
  let timer: Timer | undefined;

  const order = async (name: string): Promise<void> => {
    try {
      const client = await connection.open();
      const issued = await issueCertificate({ client, name, challenges, clock, signal });
      await certificates.add({ name, ...issued, source: directoryUrl });
      await ledger.recordSuccess(name);
      logger.info({ name }, 'certificate issued');
    } catch (error) {
      if (signal.aborted) return;
      await connection.failed(error);
      const { problem, failures, retryAtMs } = await ledger.recordFailure(name, error);
      const retryAt = new Date(retryAtMs).toISOString();
      logger.error({ name, problem, failures, retryAt }, 'a certificate could not be got');
      if (!(error instanceof AcmeFailure)) logger.debug({ name, error: describeError(error) }, 'the order failed here');
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

  /** Starts what is due and sleeps until more is. */
  const look = () => {
    timer?.cancel();
    if (signal.aborted) return;
    let nextMs = clock.nowMs() + MAX_WAIT_MS;
    for (const name of wanted) {
      if (running.has(name)) continue;
      const dueMs = Math.max(neededAtMs(certificates, name, directoryUrl), ledger.find(name)?.retryAtMs ?? 0);
      if (dueMs > clock.nowMs()) nextMs = Math.min(nextMs, dueMs);
      else if (running.size < MAX_ORDERS) start(name);
      // Else the end of an order looks again.
    }
    timer = clock.setTimer(Math.max(MIN_WAIT_MS, nextMs - clock.nowMs()), look);
  };

  return {
    challenges,
    setNames(names) {
      // A single label is nothing that a certificate authority could reach.
      wanted = new Set([...names].filter((name) => name.includes('.') && !name.startsWith('*')));
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

/** When `name` needs an order: now without a certificate of this server, at renewal time with one. */
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

/** One registered client for all orders, made at the first one. */
function createConnection(connect: () => Promise<Client>, accounts: AcmeAccountStore) {
  let current: Promise<Client> | undefined;
  return {
    open(): Promise<Client> {
      current ??= connect();
      return current;
    },
    /** The next order connects anew; with a new registration when the server lost the account. */
    async failed(error: unknown): Promise<void> {
      current = undefined;
      if (!(error instanceof AcmeFailure) || error.type !== 'accountDoesNotExist') return;
      await accounts.save({ ...(await accounts.load()), accountUrl: null });
    },
  };
}

import type { AccountSource } from '@berth/accounts';
import { createError, createValidationError } from '@berth/contract';
import { type Database, type DomainsTable, isUniqueViolation } from '@berth/database';
import { type AccountId, createLimiter, createSingleFlight } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { ControlContext } from '../context/control-context.ts';
import { createDeploymentStore, refuseReserved } from '../deployments/store/deployment-store.ts';
import {
  checkProof,
  createProofResolver,
  type ProofProblems,
  type ProofResolver,
  readAddressRule,
} from './check-proof.ts';
import { createProof, describeProof, tokenOfPath } from './domain-proof.ts';
import {
  belongsToAnother,
  createDomainStore,
  findProofAnswer,
  isContested,
  listActiveDomains,
} from './domain-store.ts';
import { parseDomain } from './parse-domain.ts';

/** A change of a domain's route. */
export interface DomainChange {
  /** Lower-case ASCII. */
  readonly domain: string;
  /** Null: the domain has no route. */
  readonly deployment: string | null;
}

/** A domain, and why it is not verified yet. */
export interface DomainVerification {
  readonly record: DomainsTable;
  readonly problems: ProofProblems;
}

export interface CreateDomainsOptions extends Pick<ControlContext, 'db' | 'clock' | 'audit'> {
  /** The platform's own host names; they and their subdomains can't be claimed. */
  readonly ownDomains: readonly string[];
  /** Networks besides the public internet in which proofs may be fetched, e.g. `10.0.0.0/8`; none by default. */
  readonly privateNetworks?: readonly string[];
  /** The port from which proofs are fetched; 80 by default. */
  readonly httpPort?: number;
  readonly resolver?: ProofResolver;
  /** Called after each change of a domain's route, in order, and awaited. Must not throw. */
  onChange?(change: DomainChange): void | Promise<void>;
}

/** Domains per account, pending ones included. */
const MAX_DOMAINS = 100;
/** Concurrent checks of proofs per account. */
const MAX_CHECKS = 4;

/**
 * Custom domains. Any number of accounts may claim a domain; the first to verify it owns it alone, until they remove it or
 * their deployment.
 */
export type Domains = ReturnType<typeof createDomains>;

export function createDomains(options: CreateDomainsOptions) {
  const { db, clock, audit, privateNetworks = [], httpPort = 80, onChange } = options;
  const ownDomains = options.ownDomains.map((domain) => domain.toLowerCase());
  const isAllowed = readAddressRule(privateNetworks);
  const resolver = options.resolver ?? createProofResolver();
  // One change at a time, so that listeners get them in the order of the database.
  const changes = createLimiter({ concurrency: 1 });
  const flights = createSingleFlight<ProofProblems>();
  const checks = new Map<string, number>();

  const read = (text: string, refused: readonly string[] = []): string => {
    const { domain, problem } = parseDomain(text, refused);
    if (domain !== undefined) return domain;
    throw createValidationError([{ loc: ['body', 'domain'], msg: problem, type: 'domain_invalid' }]);
  };
  const proofOf = ({ domain, token, proof }: DomainsTable) => describeProof(domain, token, proof, httpPort);

  /** Runs a change as one transaction and reports the new routes. */
  const change = <Value>(
    work: (transaction: Kysely<Database>, tell: (change: DomainChange) => void) => Promise<Value>,
  ): Promise<Value> =>
    changes.run(async () => {
      let told: DomainChange[] = [];
      const value = await db.transaction().execute((transaction) => {
        // After a conflict it runs again.
        told = [];
        return work(transaction, (one) => void told.push(one));
      });
      for (const one of told) await onChange?.(one);
      return value;
    });

  const refuseMissing = async (transaction: Kysely<Database>, account: AccountId, name: string) => {
    const { status } = refuseReserved(await createDeploymentStore(transaction).get(account, name));
    if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
  };

  const look = async (record: DomainsTable): Promise<ProofProblems> => {
    const { account_id: account, domain } = record;
    const running = checks.get(account) ?? 0;
    if (running >= MAX_CHECKS) {
      throw createError(
        'too_many_requests',
        `${MAX_CHECKS} domains of the account are being verified. Wait until they finish.`,
      );
    }
    checks.set(account, running + 1);
    try {
      const problems = await checkProof(proofOf(record), { resolver, isAllowed });
      if (problems.length === 0 || !(await isContested(db, account, domain))) return problems;
      const hint =
        'Another account has also added this domain, so HTTP verification is not possible. Publish the TXT record.';
      return problems.map((one) => (one.method === 'http' ? { ...one, message: `${one.message} ${hint}` } : one));
    } finally {
      const left = (checks.get(account) ?? 1) - 1;
      if (left === 0) checks.delete(account);
      else checks.set(account, left);
    }
  };

  const activate = (account: AccountId, domain: string, token: string, source: AccountSource): Promise<DomainsTable> =>
    change<DomainsTable>(async (transaction, tell) => {
      const store = createDomainStore(transaction);
      const record = await store.get(account, domain);
      if (record.token !== token)
        throw createError('conflict', `The domain ${domain} was added again; verify it again.`);
      if (record.status === 'active') return record;
      await refuseMissing(transaction, account, record.deployment);
      const nowMs = clock.nowMs();
      await store.activate(account, domain, nowMs);
      const details = { deployment: record.deployment };
      await audit.record({ ...source, action: 'domain.verify', target: domain, details }, transaction);
      tell({ domain, deployment: record.deployment });
      return { ...record, status: 'active', verified_at: nowMs };
    }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? belongsToAnother(domain) : error;
    });

  return {
    /** Describes how the owner of a domain verifies it. */
    proofOf,
    /**
     * Claims a domain, pending until it is verified. A domain that the account has already is routed to `deployment`, with its
     * status and proof unchanged.
     * @throws `invalid` for an invalid domain; `forbidden` when another account has verified it or owns the deployment;
     *   `not_found`, `conflict` while the deployment is being deleted; `too_many_requests` at the limit of an account.
     */
    add: async (
      account: AccountId,
      { domain: text, deployment }: { domain: string; deployment: string },
      source: AccountSource,
    ): Promise<DomainsTable> => {
      const domain = read(text, ownDomains);
      return change(async (transaction, tell) => {
        const store = createDomainStore(transaction);
        await refuseMissing(transaction, account, deployment);
        await store.refuseForeign(account, domain);
        const known = await store.find(account, domain);
        if (known?.deployment === deployment) return known;
        const record: DomainsTable = known
          ? { ...known, deployment }
          : {
              account_id: account,
              domain,
              deployment,
              status: 'pending',
              ...createProof(),
              created_at: clock.nowMs(),
              verified_at: null,
            };
        if (known) {
          await store.move(account, domain, deployment);
          if (known.status === 'active') tell({ domain, deployment });
        } else {
          if ((await store.count(account)) >= MAX_DOMAINS) {
            throw createError(
              'too_many_requests',
              `The account has ${MAX_DOMAINS} domains, the maximum. Remove some first.`,
            );
          }
          await store.insert(record);
        }
        const details = { deployment, ...(known ? { before: known.deployment } : {}) };
        await audit.record({ ...source, action: 'domain.add', target: domain, details }, transaction);
        return record;
      });
    },
    /**
     * Checks the proof and, if it is found, routes the domain to its deployment.
     * @throws `invalid`; `forbidden` when another account has verified it; `not_found`; `too_many_requests` when many of the
     *   account's domains are being checked.
     */
    async verify(account: AccountId, text: string, source: AccountSource): Promise<DomainVerification> {
      const domain = read(text);
      const store = createDomainStore(db);
      const record = await store.get(account, domain);
      if (record.status === 'active') return { record, problems: [] };
      await store.refuseForeign(account, domain);
      const problems = await flights.run(`${account} ${domain} ${record.token}`, () => look(record));
      if (problems.length > 0) return { record, problems };
      return { record: await activate(account, domain, record.token, source), problems };
    },
    /** Oldest first. @throws `not_found`, `forbidden` for the deployment. */
    async list(account: AccountId, deployment?: string): Promise<DomainsTable[]> {
      if (deployment !== undefined) await createDeploymentStore(db).get(account, deployment);
      return createDomainStore(db).list(account, deployment);
    },
    /** @throws `invalid`, `not_found`, `forbidden` */
    remove: async (account: AccountId, text: string, source: AccountSource): Promise<void> => {
      const domain = read(text);
      await change(async (transaction, tell) => {
        const store = createDomainStore(transaction);
        const { status, deployment } = await store.get(account, domain);
        await store.delete(account, domain);
        const details = { deployment };
        await audit.record({ ...source, action: 'domain.remove', target: domain, details }, transaction);
        if (status === 'active') tell({ domain, deployment: null });
      });
    },
    /** Removes the domains of a deployment that is being deleted. */
    removeAll: (account: AccountId, deployment: string): Promise<void> =>
      change(async (transaction, tell) => {
        const store = createDomainStore(transaction);
        for (const { domain, status } of await store.list(account, deployment)) {
          await store.delete(account, domain);
          if (status === 'active') tell({ domain, deployment: null });
        }
      }),
    /** Returns every verified domain with its deployment. Later changes go to `onChange`. */
    async routes(): Promise<Map<string, string>> {
      return new Map((await listActiveDomains(db)).map(({ domain, deployment }) => [domain, deployment]));
    },
    /**
     * Returns the answer to a GET of `pathname` on `host` (lower case, without a port) that proves a domain. It takes precedence on the plain
     * listener, before any redirect to https. Undefined: an ordinary request.
     */
    async findProof(host: string, pathname: string): Promise<string | undefined> {
      const token = tokenOfPath(pathname);
      return token === undefined ? undefined : findProofAnswer(db, host, token);
    },
  };
}

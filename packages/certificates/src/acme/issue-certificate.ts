import type { Clock } from '@berth/kit';
import type { Authorization, Client } from 'acme-client';
import type { DnsChallenges, DnsRecord } from '../dns/dns-records.ts';
import { AcmeFailure, describeProblem, problemType } from './acme-failure.ts';
import type { ChallengeResponses } from './challenge-responses.ts';

/** Options of {@link issueCertificate}. */
export interface IssueCertificateOptions {
  readonly client: Client;
  /** Lower-case ASCII host names. http-01 can't prove a wildcard; dns-01 can. */
  readonly names: readonly string[];
  readonly challenges: ChallengeResponses;
  /** Proves the names by dns-01, instead of http-01. */
  readonly dns?: DnsChallenges | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A newly issued certificate and its key, PEM. */
export interface IssuedCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Timeout of an order. A failed order is retried later. */
const ORDER_TIMEOUT_MS = 300_000;
const FIRST_POLL_MS = 500;
const MAX_POLL_MS = 5_000;

type Challenge = Authorization['challenges'][number];

/** An authorization that the authority wants a proof for, and the challenge that is answered. */
interface Demand {
  readonly authorization: Authorization;
  readonly challenge: Challenge;
  /** The text that is served over HTTP, or the value of the DNS record. */
  readonly answer: string;
}

/**
 * Orders a certificate for the names and proves control of them over HTTP or DNS. Every certificate gets a new key.
 * @throws AcmeFailure, the error of a DNS provider, or the signal's reason.
 */
export async function issueCertificate(options: IssueCertificateOptions): Promise<IssuedCertificate> {
  const { client, names, dns, signal } = options;
  const { crypto } = await import('acme-client');
  const created = await client.createOrder({ identifiers: names.map((value) => ({ type: 'dns', value })) });
  const open = (await client.getAuthorizations(created)).filter(({ status }) => status !== 'valid');
  const demands: Demand[] = [];
  for (const authorization of open) demands.push(await demandOf(client, authorization, dns ? 'dns-01' : 'http-01'));
  const withdraw = await (dns ? dns.offer(demands.map(recordOf), signal) : offerOverHttp(options, demands));
  // The wait for name servers doesn't count towards the deadline of the order.
  const poll = createPoll(options);
  try {
    for (const demand of demands) await prove(client, demand, poll);
  } finally {
    await withdraw();
  }
  const ready = await poll(
    () => client.getOrder(created),
    ({ status }) => status !== 'pending',
  );
  if (ready.status !== 'ready') throw refused(`the order is ${ready.status}`, ready.error);
  const [key, request] = await crypto.createCsr({ altNames: [...names] }, await crypto.createPrivateEcdsaKey('P-256'));
  const finalized = await client.finalizeOrder(ready, request);
  const done = await poll(
    () => (finalized.status === 'valid' ? Promise.resolve(finalized) : client.getOrder(created)),
    ({ status }) => status !== 'processing' && status !== 'ready',
  );
  if (done.status !== 'valid') throw refused(`the order is ${done.status}`, done.error);
  signal.throwIfAborted();
  return { certPem: await client.getCertificate(done), keyPem: key.toString('utf8') };
}

async function demandOf(client: Client, authorization: Authorization, type: Challenge['type']): Promise<Demand> {
  const challenge = authorization.challenges.find((one) => one.type === type);
  const name = authorization.identifier.value;
  if (!challenge) throw refused(`the ACME server offers no ${type} challenge for ${name}`, undefined);
  return { authorization, challenge, answer: await client.getChallengeKeyAuthorization(challenge) };
}

/** Returns the record that answers a challenge. A domain and its wildcard have the same name. Source: RFC 8555 8.4. */
function recordOf({ authorization, answer }: Demand): DnsRecord {
  return { name: `_acme-challenge.${authorization.identifier.value}`, value: answer };
}

async function offerOverHttp(
  { challenges }: IssueCertificateOptions,
  demands: readonly Demand[],
): Promise<() => Promise<void>> {
  const withdrawals: (() => Promise<void>)[] = [];
  for (const { challenge, answer } of demands) withdrawals.push(await challenges.offer(challenge.token, answer));
  return async () => {
    for (const withdraw of withdrawals) await withdraw();
  };
}

async function prove(client: Client, { authorization, challenge }: Demand, poll: Poll): Promise<void> {
  await client.completeChallenge(challenge);
  const settled = await poll(
    async () => (await client.getAuthorizations({ ...emptyOrder, authorizations: [authorization.url] }))[0],
    (current) => current?.status !== 'pending',
  );
  if (settled?.status === 'valid') return;
  const { value } = authorization.identifier;
  throw refused(`${value} is not verified`, settled?.challenges.find(({ error }) => error)?.error);
}

/** A placeholder order: `getAuthorizations` takes a whole order but reads only `authorizations`. */
const emptyOrder = { url: '', status: 'pending', identifiers: [], finalize: '' } as const satisfies Partial<
  Parameters<Client['getAuthorizations']>[0]
>;

type Poll = <Value>(read: () => Promise<Value>, isSettled: (value: Value) => boolean) => Promise<Value>;

/** Creates a function that reads a value until it is settled. One deadline applies to all reads of an order. */
function createPoll({ clock, signal }: IssueCertificateOptions): Poll {
  const endMs = clock.monotonicMs() + ORDER_TIMEOUT_MS;
  return async (read, isSettled) => {
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, MAX_POLL_MS)) {
      const value = await read();
      if (isSettled(value)) return value;
      if (clock.monotonicMs() > endMs)
        throw refused(`the order is not done after ${ORDER_TIMEOUT_MS / 1_000} s`, undefined);
      await clock.sleep(waitMs, signal);
    }
  };
}

function refused(what: string, problem: unknown): AcmeFailure {
  const said = describeProblem(problem);
  const message = said === undefined ? what : `${what}: ${said}`;
  return new AcmeFailure(message, { type: problemType(problem) });
}

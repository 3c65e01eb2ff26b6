import type { Clock } from '@berth/kit';
import type { Authorization, Client } from 'acme-client';
import { AcmeFailure, describeProblem, problemType } from './acme-failure.ts';
import type { ChallengeResponses } from './challenge-responses.ts';

/** Options of {@link issueCertificate}. */
export interface IssueCertificateOptions {
  readonly client: Client;
  /** Lower-case ASCII host name. Not a wildcard, which http-01 can't prove. */
  readonly name: string;
  readonly challenges: ChallengeResponses;
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

type HttpChallenge = Extract<Authorization['challenges'][number], { type: 'http-01' }>;

/**
 * Orders a certificate for one name and proves control of the name over HTTP. Every certificate gets a new key.
 * @throws AcmeFailure, or the signal's reason.
 */
export async function issueCertificate(options: IssueCertificateOptions): Promise<IssuedCertificate> {
  const { client, name, signal } = options;
  const { crypto } = await import('acme-client');
  const poll = createPoll(options);
  const created = await client.createOrder({ identifiers: [{ type: 'dns', value: name }] });
  for (const authorization of await client.getAuthorizations(created)) {
    if (authorization.status !== 'valid') await proveName(options, authorization, poll);
  }
  const ready = await poll(
    () => client.getOrder(created),
    ({ status }) => status !== 'pending',
  );
  if (ready.status !== 'ready') throw refused(`the order is ${ready.status}`, ready.error);
  const [key, request] = await crypto.createCsr({ altNames: [name] }, await crypto.createPrivateEcdsaKey('P-256'));
  const finalized = await client.finalizeOrder(ready, request);
  const done = await poll(
    () => (finalized.status === 'valid' ? Promise.resolve(finalized) : client.getOrder(created)),
    ({ status }) => status !== 'processing' && status !== 'ready',
  );
  if (done.status !== 'valid') throw refused(`the order is ${done.status}`, done.error);
  signal.throwIfAborted();
  return { certPem: await client.getCertificate(done), keyPem: key.toString('utf8') };
}

async function proveName(options: IssueCertificateOptions, authorization: Authorization, poll: Poll): Promise<void> {
  const { client, challenges, name } = options;
  const challenge = authorization.challenges.find((one): one is HttpChallenge => one.type === 'http-01');
  if (!challenge) throw refused(`the ACME server offers no http-01 challenge for ${name}`, undefined);
  const withdraw = await challenges.offer(challenge.token, await client.getChallengeKeyAuthorization(challenge));
  try {
    await client.completeChallenge(challenge);
    const settled = await poll(
      async () => (await client.getAuthorizations({ ...emptyOrder, authorizations: [authorization.url] }))[0],
      (current) => current?.status !== 'pending',
    );
    if (settled?.status === 'valid') return;
    throw refused(`${name} is not verified`, settled?.challenges.find(({ error }) => error)?.error);
  } finally {
    await withdraw();
  }
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

import type { Clock } from '@berth/kit';
import { createProcessPort } from '../workers/process-port.ts';
import type { PeerLink } from './peer-link.ts';

interface AgreementCall {
  readonly call: number;
}
interface Agreement extends AgreementCall {
  readonly isAgreed: boolean;
}

/** Returns a call to `agree` of the gateway at the other end of a link. Without its answer it stays open. */
export function createAgreement(link: PeerLink): () => Promise<boolean> {
  const port = createProcessPort<Agreement, AgreementCall>(link, 'agreement');
  const open = new Map<number, (isAgreed: boolean) => void>();
  let calls = 0;
  port.onMessage(({ call, isAgreed }) => {
    open.get(call)?.(isAgreed);
    open.delete(call);
  });
  return () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    open.set(++calls, resolve);
    port.post({ call: calls });
    return promise;
  };
}

/** Answers the calls of the gateway at the other end of a link. */
export function serveAgreement(link: PeerLink, agree: () => Promise<boolean>): void {
  const port = createProcessPort<AgreementCall, Agreement>(link, 'agreement');
  port.onMessage(async ({ call }) => port.post({ call, isAgreed: await agree() }));
}

/** Resolves with true when all of the answers are true, and none later than `withinMs`. */
export async function doAllAgree(
  clock: Clock,
  withinMs: number,
  answers: readonly (Promise<boolean> | boolean)[],
): Promise<boolean> {
  const late = new AbortController();
  const inTime = await Promise.race([Promise.all(answers), clock.sleep(withinMs, late.signal).catch(() => {})]);
  late.abort();
  return inTime?.every(Boolean) ?? false;
}

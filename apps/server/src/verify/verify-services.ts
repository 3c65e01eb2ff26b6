import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Database } from '@berth/database';
import { type Clock, forEachConcurrently } from '@berth/kit';
import type { Kysely } from 'kysely';

/** A service's response to `GET /`. */
export interface VerifiedService {
  readonly deployment: string;
  readonly account: string;
  /** True for a status below 500. */
  readonly serves: boolean;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly ms: number;
  /** The start of a response of 500 and more, or why there was none; empty otherwise. */
  readonly reason: string;
}

/** Options of {@link verifyServices}. */
export interface VerifyOptions {
  readonly db: Kysely<Database>;
  /** The plain port, on 127.0.0.1. */
  readonly port: number;
  readonly clock: Clock;
  onResult(result: VerifiedService): void;
}

/** Maximum number of services that start at once. */
const PARALLEL = 4;
/** Longer than any service may take to start. */
const ANSWER_MS = 300_000;
const REASON_CHARACTERS = 500;

/** Requests each service with a serving revision once, so that it starts. Never rejects because of a service. */
export async function verifyServices({ db, port, clock, onResult }: VerifyOptions): Promise<void> {
  const services = await db
    .selectFrom('deployments')
    .select(['name', 'account_id'])
    .where('current_revision', 'is not', null)
    .where('status', '!=', 'deleting')
    .orderBy('name')
    .execute();
  await forEachConcurrently(services, { concurrency: PARALLEL }, async ({ name, account_id: account }) => {
    const startedMs = clock.monotonicMs();
    const answer = await ask(name, port);
    const ms = Math.round(clock.monotonicMs() - startedMs);
    onResult({ deployment: name, account, ...answer, ms });
  });
}

async function ask(name: string, port: number): Promise<Pick<VerifiedService, 'serves' | 'status' | 'reason'>> {
  const { promise, resolve, reject } = Promise.withResolvers<Pick<VerifiedService, 'serves' | 'status' | 'reason'>>();
  const headers = { Host: `${name}.localhost`, 'User-Agent': 'Berth-Verify', Accept: 'text/plain' };
  const call = request({
    host: '127.0.0.1',
    port,
    path: '/',
    agent: false,
    headers,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  call.on('error', reject);
  call.on('response', (answer) => {
    const { statusCode: status = 0 } = answer;
    if (status >= 500) text(answer).then((body) => resolve({ serves: false, status, reason: body.trim() }), reject);
    else {
      resolve({ serves: true, status, reason: '' });
      // The body may never end.
      call.destroy();
    }
  });
  call.end();
  const answer = await promise.catch((error: unknown) => ({
    serves: false,
    status: 0,
    reason: (error as Error).message,
  }));
  return { ...answer, reason: answer.reason.slice(0, REASON_CHARACTERS) };
}

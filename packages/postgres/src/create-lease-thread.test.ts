import { createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createLeaseThread } from './create-lease-thread.ts';
import { findPostgres, NO_POSTGRES, startPostgres } from './testing/start-postgres.ts';

const programs = findPostgres();
const LEASE_MS = 600;
const NOW = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';

describe.skipIf(!programs)(programs ? 'a lease' : `a lease on Postgres: ${NO_POSTGRES}`, () => {
  // Fails when the thread depends on the main one, when it renews for one that is dead, or when it revives a lease that is over.
  test('is renewed while the main thread is busy, as long as that is patient, and not after its end', async () => {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await startPostgres(programs as string), ({ close }) => close());
    const client = stack.adopt(new pg.Client(server.url), (one) => one.end());
    await client.connect();
    await client.query(
      `create table leases (id text, until bigint); insert into leases values ('a', ${NOW} + ${LEASE_MS})`,
    );
    const statement = `update leases set until = ${NOW} + $2 where id = $1 and until > ${NOW}`;
    const thread = stack.adopt(
      createLeaseThread({
        ...{ url: server.url, statement, values: ['a', LEASE_MS], leaseMs: LEASE_MS, patienceMs: 2_000 },
        logger: createSilentLogger(),
      }),
      ({ close }) => close(),
    );
    const isAlive = async () => (await client.query(`select until > ${NOW} as alive from leases`)).rows[0].alive;
    await waitUntil('it is renewed', () => thread.sinceRenewalMs() < LEASE_MS);
    block(1_500);
    expect(thread.sinceRenewalMs()).toBeLessThan(LEASE_MS);
    expect(await isAlive()).toBe(true);
    block(4_000);
    expect(await isAlive()).toBe(false);
    expect(thread.sinceRenewalMs()).toBeGreaterThan(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS));
    expect(await isAlive()).toBe(false);
    await client.query(`update leases set until = ${NOW} + ${LEASE_MS}`);
    await waitUntil('it is renewed again', () => thread.sinceRenewalMs() < LEASE_MS);
  });
});

/** Keeps this thread busy. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

import { createAuditLog } from '@berth/accounts';
import { type AccountId, createIdSource, createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createPausableClock, createSharedDatabase } from '../cluster/testing/open-servers.ts';
import { createDeploymentStore } from '../deployments/store/deployment-store.ts';
import { createDomains } from './create-domains.ts';

const ACCOUNT = 'acc' as AccountId;

// Fails when a server routes only the domains that were changed on it, or reports one twice.
test('a domain that is changed on one server is routed on the other, by a notice or by polling', async () => {
  await using database = await createSharedDatabase();
  const server = async () => {
    const opened = await database.open();
    const { db } = opened;
    const clock = createPausableClock();
    const changes: string[] = [];
    const domains = createDomains({
      ...{ db, clock, logger: createSilentLogger(), ownDomains: [], cluster: database.join(opened, clock) },
      audit: createAuditLog({ db, clock, ids: createIdSource() }),
      onChange: ({ domain, deployment }) => void changes.push(`${domain} ${deployment}`),
    });
    return { db, changes, domains, close: opened.close };
  };
  const [a, b] = [await server(), await server()];
  await a.db
    .insertInto('accounts')
    .values({ id: ACCOUNT, name: 'a', plan: 'free', is_operator: 0, created_at: 0 })
    .execute();
  await createDeploymentStore(a.db).claim(ACCOUNT, 'shop', 0);
  const endFollowing = b.domains.follow();
  await a.db
    .insertInto('domains')
    .values({
      ...{ account_id: ACCOUNT, domain: 'shop.example', deployment: 'shop', status: 'active', token: 't', proof: 'p' },
      ...{ created_at: 0, verified_at: 0 },
    })
    .execute();
  await waitUntil('B polls', () => b.changes.includes('shop.example shop'));
  await a.domains.removeAll(ACCOUNT, 'shop');
  expect(a.changes).toEqual(['shop.example null']);
  await waitUntil('B hears of it', () => b.changes.length === 2);
  expect(b.changes).toEqual(['shop.example shop', 'shop.example null']);
  await endFollowing();
  await a.close();
  await b.close();
});

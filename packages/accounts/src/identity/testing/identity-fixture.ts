import { createTestSealer } from '@berth/database/testing';
import type { AccountId } from '@berth/kit';
import { createIdentity } from '../../create-identity.ts';
import {
  type AccountFixture,
  type AccountFixtureOptions,
  createAccountFixture,
} from '../../testing/account-fixture.ts';
import { type Browser, createBrowser } from './browser.ts';

export const ISSUER = 'http://localhost:8787';
export const ANN = { email: 'ann@example.org', password: 'correct horse battery' };

/** The identity provider with two people: Ann of the account `acme`, which has the deployment `helper`, and Bob of `bobs`. */
export interface IdentityFixture extends AccountFixture {
  readonly acme: { readonly id: AccountId; readonly key: string };
  readonly bobs: { readonly id: AccountId; readonly key: string };
  /** As the provider's own address serves them. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  browser(): Browser;
  deployment(name: string, account: AccountId): Promise<void>;
}

/** What may differ from a test to another. */
export interface IdentityFixtureOptions extends Pick<AccountFixtureOptions, 'oidcProviders'> {
  readonly issuer?: string;
}

export async function createIdentityFixture({
  issuer = ISSUER,
  ...accounts
}: IdentityFixtureOptions = {}): Promise<IdentityFixture> {
  const fixture = await createAccountFixture(accounts);
  const { db, clock, logger, services, api, call, operatorKey } = fixture;
  const identity = createIdentity({
    db,
    clock,
    logger,
    issuer,
    accounts: services,
    sealer: createTestSealer(),
    urlOf: (name) => issuer.replace('://', `://${name}.`),
  });
  identity.registerRoutes(api);
  const account = async (name: string, user: { email: string; password: string }) => {
    const { body } = await call('POST', '/v1/admin/accounts', { key: operatorKey, json: { name, user } });
    return { id: body.account.id as AccountId, key: body.key.secret as string };
  };
  const deployment = async (name: string, owner: AccountId) => {
    const nowMs = clock.nowMs();
    await db
      .insertInto('deployments')
      .values({
        name,
        account_id: owner,
        status: 'ready',
        settings: null,
        current_revision: null,
        environment_version: 0,
        created_at: nowMs,
        updated_at: nowMs,
      })
      .execute();
  };
  const acme = await account('acme', { ...ANN });
  const bobs = await account('bobs', { email: 'bob@example.org', password: 'another long password' });
  await deployment('helper', acme.id);
  const fetch = async (url: string, init: RequestInit = {}) => api.fetch(new Request(url, init));
  return Object.assign(fixture, { acme, bobs, fetch, deployment, browser: () => createBrowser(fetch, issuer) });
}

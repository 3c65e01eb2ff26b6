import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import {
  openTestOidcProvider,
  type TestOidcProvider,
} from '../../../packages/accounts/src/oidc/testing/open-test-oidc-provider.ts';
import { CHROMIUM_OPTIONS } from '../../../packages/agent/src/page/testing/open-browser.ts';
import { buildPage } from '../../../tools/web/build-page.ts';
import { REPO, startBerth } from '../../harness/berth.ts';
import { PERSON } from './person.ts';

/** What all files of the lane share. */
export interface SharedPlatform {
  readonly url: string;
  /** A key of the operator's with all scopes. */
  readonly key: string;
  /** Of the person's session: signing in is bounded to ten tries a minute. Don't sign out with it. */
  readonly cookie: { readonly name: string; readonly value: string };
  /** Where Chromium listens to Playwright. */
  readonly browser: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    platform: SharedPlatform;
  }
}

/** Builds the pages where they are not fresh, starts one platform with one person, and one Chromium. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPage(REPO, 'apps/console');
  await buildPage(REPO, 'apps/chat');
  const provider = await openTestOidcProvider({ hasPage: true });
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-browser-'));
  const oidcProviders = path.join(folder, 'providers.json');
  writeFileSync(oidcProviders, JSON.stringify([describeProvider(provider)]));
  const berth = await startBerth({ env: { BERTH_OIDC_PROVIDERS: oidcProviders } });
  const browser = await chromium.launchServer({ ...CHROMIUM_OPTIONS, host: '127.0.0.1' });
  const url = `http://localhost:${berth.port}`;
  const token = /first-run#([\w-]+)/.exec(berth.output)?.[1];
  const headers = { 'X-Berth-Browser': '1', Origin: url };
  const answer = await berth.post('/v1/auth/first-run', { ...PERSON, token }, headers);
  if (answer.status !== 200) throw new Error(`the first person could not be made: ${await answer.text()}`);
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error('the first person got no session');
  project.provide('platform', { url, cookie: { name, value }, key: berth.key, browser: browser.wsEndpoint() });
  return async () => {
    await browser.close();
    await berth.close();
    await provider[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  };
}

/** What the operator writes of it: its people become members, and two domains are let in. */
function describeProvider({ issuer, clientId, clientSecret }: TestOidcProvider) {
  return {
    ...{ id: 'acme', name: 'Acme ID', issuer, client_id: clientId, client_secret: clientSecret },
    ...{ email_domains: ['acme.example', 'example.org'], new_people: { account: 'operator', role: 'member' } },
  };
}

import { NO_BROWSER, openBrowser, openPage, openTestAgent, type TestAgent } from '@berth/agent/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcp } from '../declare/mcp.ts';
import { openTestProvider, type TestProvider } from './testing/test-provider.ts';

let browser: Browser;
let provider: TestProvider;
let agent: TestAgent;

beforeAll(async () => {
  if (NO_BROWSER) return;
  browser = await openBrowser();
  provider = await openTestProvider();
  agent = await openTestAgent({
    connectors: [mcp({ name: 'notes', title: 'Notes', url: provider.resource, auth: 'oauth' })],
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
  });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await agent?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

/** Where someone consents who asks for it in this page. */
const ASK = `fetch('/connectors/notes/authorize', { method: 'POST', headers: { authorization: 'Bearer ann' } })
  .then((response) => response.json()).then(({ url }) => url)`;

test('in a browser: the page that opened it is told, and it closes', async ({ skip }) => {
  if (NO_BROWSER) skip(NO_BROWSER);
  await using own = await openPage(browser);
  const { page, problems } = own;
  await page.goto(agent.url);
  const told = await page.evaluate<unknown[]>(`(async () => {
    const url = await ${ASK};
    const told = [];
    addEventListener('message', ({ origin, data }) => origin === location.origin && told.push(['opener', data]));
    const channel = new BroadcastChannel('berth-connectors');
    channel.onmessage = ({ data }) => told.push(['channel', data]);
    const popup = open(url);
    while (told.length < 2 || !popup.closed) await new Promise((resolve) => setTimeout(resolve, 20));
    return told;
  })()`);
  const message = { type: 'berth:connector', connector: 'notes', connected: true };
  expect(told.toSorted()).toEqual([
    ['channel', message],
    ['opener', message],
  ]);
  expect(problems).toEqual([]);
});

test('in a browser that did not begin it: nothing happens before a click', async ({ skip }) => {
  if (NO_BROWSER) skip(NO_BROWSER);
  await using theirs = await openPage(browser);
  await using mine = await openPage(browser);
  await theirs.page.goto(agent.url);
  const url = await theirs.page.evaluate<string>(ASK);
  const before = provider.asked('/token').length;
  await mine.page.goto(url);
  expect(await mine.page.locator('h1').textContent()).toBe('Connect your Notes to test-agent?');
  expect(provider.asked('/token').length).toBe(before);
  await mine.page.getByRole('button', { name: 'Connect' }).click();
  await mine.page.getByRole('heading', { name: 'Notes is connected' }).waitFor();
  expect([provider.asked('/token').length - before, mine.problems]).toEqual([1, []]);
});

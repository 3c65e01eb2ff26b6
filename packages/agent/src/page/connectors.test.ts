import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { key } from '../connectors/declare/key.ts';
import { mcp } from '../connectors/declare/mcp.ts';
import { openTestProvider, type TestProvider } from '../connectors/oauth/testing/test-provider.ts';
import type { HandlerContext } from '../define/handler-context.ts';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { NO_BROWSER, openBrowser, openPage } from './testing/open-browser.ts';

let browser: Browser;
let agent: TestAgent;
let provider: TestProvider;

/** A question whose label and arguments would like to look like something else. */
const CARD = {
  ...{ type: 'ui' as const, action: 'confirm' as const, tool: 'notes__wipe', connector: 'notes', key: 'k' },
  ...{ label: 'Wipe \u202e?gnihton', args: { what: `${'a'.repeat(100_000)}\u2066<b>`, lines: '\n'.repeat(500) } },
};

/** Needs what the person names. */
async function* handler({ messages }: HandlerContext) {
  const text = String(messages.at(-1)?.content);
  if (text === 'Go on.') yield 'Now I can.';
  else if (text === 'wipe') yield { ...CARD };
  else
    yield {
      type: 'ui' as const,
      action: 'connect' as const,
      connector: text,
      scope: 'user',
      title: `My\u202e ${text}`,
    };
}

beforeAll(async () => {
  if (NO_BROWSER) return;
  provider = await openTestProvider();
  const connectors = [
    mcp({ name: 'notes', title: 'Notes', url: provider.resource, auth: 'oauth' }),
    key({ name: 'crm', title: 'CRM', description: 'Customers.', api: 'https://crm.example' }),
  ];
  const outbound = { allowedNetworks: ['127.0.0.1/32'] };
  [browser, agent] = await Promise.all([openBrowser(), openTestAgent({ handler, connectors, outbound })]);
});
afterAll(async () => {
  await browser?.close();
  await agent?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (NO_BROWSER) context.skip(NO_BROWSER);
});

async function visit(token: string) {
  const opened = await openPage(browser, token);
  const { page } = opened;
  await page.goto(agent.url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  };
  const states = async () => {
    const rows = await (await agent.call(token, 'GET', '/connectors')).json();
    return rows.map((row: { name: string; connected: boolean; on: boolean }) => [row.name, row.connected, row.on]);
  };
  return { ...opened, say, states };
}

describe('a card of a connector', () => {
  // Holds the agent to the contract: verifies('connector.callback')
  it('signs in in a window of its own, and the turn goes on', async () => {
    await using opened = await visit('ann');
    const { page, say, problems } = opened;
    await say('notes');
    const card = page.getByRole('region', { name: 'Connect My\\u{202e} notes' });
    const popup = page.waitForEvent('popup');
    await card.getByRole('button', { name: 'Connect Notes' }).click();
    await (await popup).waitForEvent('close');
    await page.getByText('Now I can.').waitFor();
    expect(await card.textContent()).toContain('Connected.');
    expect(await opened.states()).toEqual([
      ['notes', true, true],
      ['crm', false, true],
    ]);
    expect(problems).toEqual([]);
  });

  it('says what went wrong, and can be tried again', async () => {
    await using opened = await visit('bea');
    const { page, say } = opened;
    await say('notes');
    const card = page.getByRole('region', { name: /^Connect/ });
    provider.misbehave('/authorize', ({ query }) => {
      const back = new URL(query.get('redirect_uri') ?? '');
      const answer = { error: 'access_denied', error_description: '<b>no</b>', state: query.get('state') ?? '' };
      for (const [name, value] of Object.entries({ ...answer, iss: provider.url })) back.searchParams.set(name, value);
      return { status: 302, headers: { location: back.href } };
    });
    const first = page.waitForEvent('popup');
    await card.getByRole('button', { name: 'Connect Notes' }).click();
    await (await first).getByText('Notes is not connected').waitFor();
    await (await first).close();
    provider.misbehave('/authorize', undefined);
    const second = page.waitForEvent('popup');
    await card.getByRole('button', { name: 'Connect Notes' }).click();
    await (await second).waitForEvent('close');
    await page.getByText('Now I can.').waitFor();
  });

  it('takes a key, which the page does not keep', async () => {
    await using opened = await visit('cid');
    const { page, say } = opened;
    await say('crm');
    const card = page.getByRole('region', { name: /^Connect/ });
    await card.getByLabel('Key').fill('canary-key');
    await card.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Now I can.').waitFor();
    expect(await page.content()).not.toContain('canary-key');
    expect(await page.locator('input[type=password]').count()).toBe(0);
  });
});

it('a question names the connector and shows all of a call, unseen letters too, in a place of its own', async () => {
  await using opened = await visit('eva');
  const { page, say } = opened;
  await say('wipe');
  const card = page.getByRole('region', { name: 'Approval: Wipe \\u{202e}?gnihton' });
  await card.getByText('Tool: notes__wipe of notes').waitFor();
  const args = card.getByLabel('What it would be given');
  const text = (await args.textContent()) ?? '';
  expect([text.includes('a'.repeat(100_000)), text.endsWith(`<b>",\n  "lines": "${'\\n'.repeat(500)}"\n}`)]).toEqual([
    true,
    true,
  ]);
  expect(text).toContain('\\u{2066}');
  const [height, overflow] = await args.evaluate((node) => [node.clientHeight, node.scrollWidth - node.clientWidth]);
  expect(height).toBeLessThan(400);
  expect(overflow).toBe(0);
  // The buttons are where people see them.
  expect(await card.getByRole('button', { name: 'Deny' }).boundingBox()).toMatchObject({ height: expect.any(Number) });
  expect(opened.problems).toEqual([]);
});

it('the list of connectors connects, leaves out of chats, and disconnects', async () => {
  await using opened = await visit('dan');
  const { page } = opened;
  await page.getByRole('button', { name: 'Connectors' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connectors' });
  const crm = dialog.getByRole('listitem').filter({ hasText: 'Customers.' });
  await crm.getByLabel('Key').fill('a-key');
  await crm.getByRole('button', { name: 'Connect' }).click();
  await crm.getByText('Connected as you.').waitFor();
  await crm.getByRole('checkbox').uncheck();
  await expect.poll(() => opened.states()).toContainEqual(['crm', true, false]);
  await crm.getByRole('button', { name: 'Disconnect' }).click();
  await crm.getByText('Not connected.').waitFor();
  expect(await opened.states()).toContainEqual(['crm', false, false]);
  expect(opened.problems).toEqual([]);
});

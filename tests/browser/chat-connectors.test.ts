import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { key } from '../../packages/agent-connectors/src/declare/key.ts';
import { mcp } from '../../packages/agent-connectors/src/declare/mcp.ts';
import { openApi } from '../../packages/agent-connectors/src/fetch/testing/open-api.ts';
import {
  openTestProvider,
  type TestProvider,
} from '../../packages/agent-connectors/src/oauth/testing/test-provider.ts';
import type { HandlerContext } from '../../packages/agent-core/src/handler/handler-context.ts';
import { openChatVisit } from './harness/open-chat-visit.ts';
import type { Setting } from './harness/open-visit.ts';

/** What an answer needs connected, and what a tool would do: asked for on the page. */

let agent: TestAgent;
let provider: TestProvider;

/** A question whose label and arguments would like to look like something else. */
const CARD = {
  ...{ type: 'ui' as const, action: 'confirm' as const, tool: 'notes__wipe', connector: 'notes', key: 'k' },
  ...{ label: 'Wipe \u202e?gnihton', args: { what: `${'a'.repeat(100_000)}\u2066<b>`, lines: '\n'.repeat(500) } },
};

const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="5" cy="5" r="4"/></svg>';

/** Needs what the person names. */
async function* handler({ messages, resumed }: HandlerContext) {
  const text = String(messages.at(-1)?.content);
  if (resumed) yield 'Now I can.';
  else if (text === 'wipe') yield 'May I?';
  else {
    const title = `My\u202e ${text}`;
    yield { type: 'ui' as const, action: 'connect' as const, connector: text, scope: 'user', title };
  }
}

beforeAll(async () => {
  provider = await openTestProvider();
  const connectors = [
    mcp({ name: 'notes', title: 'Notes', url: provider.resource, auth: 'oauth' }),
    key({ name: 'crm', title: 'CRM', description: 'Customers.', api: 'https://crm.example', icon: ICON }),
    mcp({ name: 'down', title: 'Down', url: 'http://127.0.0.1:9/mcp' }),
  ];
  agent = await openTestAgent({ handler, resume: true, connectors, outbound: { allowedNetworks: ['127.0.0.1/32'] } });
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

async function visit(person: string, setting: Partial<Setting> = {}) {
  const opened = await openChatVisit(agent.url, { ...setting, person });
  await opened.signIn();
  const states = async () => {
    const rows = await (await agent.call(person, 'GET', '/connectors')).json();
    return rows.map((row: { name: string; connected: boolean; on: boolean }) => [row.name, row.connected, row.on]);
  };
  return { ...opened, states };
}

describe('a card of a connector', () => {
  // Holds the agent to the contract: verifies('connector.callback')
  it('signs in in a window of its own, and the turn goes on', async () => {
    await using opened = await visit('ann');
    const { page } = opened;
    await opened.say('notes');
    const card = page.getByRole('region', { name: 'Connect My\\u{202e} notes' });
    await card.getByRole('button', { name: 'Connect Notes' }).waitFor();
    await opened.check('chat-connect-card');
    const popup = page.waitForEvent('popup');
    await card.getByRole('button', { name: 'Connect Notes' }).click();
    await (await popup).waitForEvent('close');
    await page.getByText('Now I can.').waitFor();
    // The answer has continued without a message of the person.
    await opened.idle();
    expect(await page.getByRole('article').count()).toBe(2);
    expect(await opened.states()).toEqual([
      ['notes', true, true],
      ['crm', false, true],
      ['down', true, true],
    ]);
    expect(opened.problems).toEqual([]);
  });

  it('says what went wrong, and can be tried again', async () => {
    await using opened = await visit('bea');
    const { page } = opened;
    await opened.say('notes');
    const connect = page.getByRole('region', { name: /^Connect/ }).getByRole('button', { name: 'Connect Notes' });
    provider.misbehave('/authorize', ({ query }) => {
      const back = new URL(query.get('redirect_uri') ?? '');
      const answer = { error: 'access_denied', error_description: '<b>no</b>', state: query.get('state') ?? '' };
      for (const [name, value] of Object.entries({ ...answer, iss: provider.url })) back.searchParams.set(name, value);
      return { status: 302, headers: { location: back.href } };
    });
    const first = page.waitForEvent('popup');
    await connect.click();
    await (await first).getByText('Notes is not connected').waitFor();
    await (await first).close();
    provider.misbehave('/authorize', undefined);
    const second = page.waitForEvent('popup');
    await connect.click();
    await (await second).waitForEvent('close');
    await page.getByText('Now I can.').waitFor();
  });

  it('takes a key, which the page does not keep', async () => {
    await using opened = await visit('cid');
    const { page } = opened;
    await opened.say('crm');
    const card = page.getByRole('region', { name: /^Connect/ });
    await card.getByLabel('Key').fill('canary-key');
    await card.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Now I can.').waitFor();
    expect(await page.content()).not.toContain('canary-key');
    expect(await page.locator('input[type=password]').count()).toBe(0);
  });
});

it('a question names the connector and shows all of a call, unseen letters too, in a place of its own', async () => {
  await using opened = await visit('eva', { width: 390, height: 844 });
  const { page } = opened;
  // Only calls that really wait are known to the server.
  await page.route('**/approvals', (route) => route.fulfill({ json: [CARD] }));
  await opened.say('wipe');
  const card = page.getByRole('region', { name: 'Approval: Wipe \\u{202e}?gnihton' });
  await card.getByText('Tool: notes__wipe (notes)').waitFor();
  const args = card.getByLabel('Input', { exact: true });
  const text = (await args.textContent()) ?? '';
  expect(text).toContain('a'.repeat(100_000));
  expect(text.endsWith(`<b>",\n  "lines": "${'\\n'.repeat(500)}"\n}`)).toBe(true);
  expect(text).toContain('\\u{2066}');
  const [height, overflow] = await args.evaluate((node) => [node.clientHeight, node.scrollWidth - node.clientWidth]);
  expect(height).toBeLessThan(400);
  expect(overflow).toBe(0);
  // The buttons are where people see them.
  await expect
    .poll(() => card.getByRole('button', { name: 'Deny' }).boundingBox())
    .toMatchObject({ x: expect.any(Number) });
  await opened.check('chat-confirm-long');
});

it('the list of connectors connects, leaves out of chats, and disconnects', async () => {
  await using opened = await visit('dan');
  const { page } = opened;
  await page.getByRole('button', { name: 'Connectors' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connectors' });
  const crm = dialog.getByRole('listitem').filter({ hasText: 'Customers.' });
  const down = dialog.getByRole('listitem').filter({ hasText: '127.0.0.1:9' });
  await down.getByText("Can't reach 127.0.0.1:9").waitFor();
  expect(await down.getByRole('button', { name: 'Disconnect' }).count()).toBe(0);
  await down.getByRole('button', { name: 'Try again' }).click();
  await down.getByText("Can't reach 127.0.0.1:9").waitFor();
  await expect
    .poll(() => crm.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
  expect(await crm.getByRole('link', { name: 'crm.example' }).getAttribute('rel')).toContain('noopener');
  expect(await crm.getByRole('switch').count()).toBe(0);
  await crm.getByLabel('Key').waitFor();
  await opened.check('chat-connectors');
  await crm.getByLabel('Key').fill('a-key');
  await crm.getByRole('button', { name: 'Connect' }).click();
  await crm.getByText('Connected for you').waitFor();
  await crm.getByRole('switch').click();
  await expect.poll(() => opened.states()).toContainEqual(['crm', true, false]);
  await crm.getByRole('button', { name: 'Disconnect' }).click();
  await crm.getByText('Not connected').waitFor();
  await expect.poll(() => opened.states()).toContainEqual(['crm', false, false]);
  expect(opened.problems).toEqual([]);
});

/** A call that its reader would pay for, as addresses that could pass for a file. */
const CALL = 'connectors/shop/fetch/orders?item=gold';
const BEFORE = ['/', '/files/../', '/files/%2e%2e/', '/files/..\\', '/share/u/t/file/../../../../', '../', './../'];
const PICTURES = [...BEFORE, '/public/../', '/files/..%2f', '/files/..%5c', '/files//../../'].map(
  (text) => text + CALL,
);

async function* showPictures() {
  yield PICTURES.map((src) => `![a](${src}) [b](${src})`).join('\n\n');
  for (const src of PICTURES) yield { type: 'image' as const, src };
  yield { type: 'image' as const, src: 'real.svg', alt: 'real' };
  yield 'All of it is shown.';
}

// Fails when the page loads pictures of any path of its own with the token, and when links are followed with it.
it('a picture in an answer calls no API with the token of its reader', async () => {
  await using shop = await openApi();
  await using attacked = await openTestAgent({
    handler: showPictures,
    connectors: [key({ name: 'shop', api: shop.url })],
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
  });
  await using opened = await openChatVisit(attacked.url);
  const { page, answers, person } = opened;
  expect((await attacked.call(person, 'PUT', '/connectors/shop/key', { key: 'of the victim' })).status).toBe(200);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
  expect((await attacked.call(person, 'PUT', '/files/real.svg', svg)).status).toBe(200);
  await opened.signIn();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.resourceType()} ${new URL(request.url()).pathname}`));
  await opened.say('pictures');
  await answers.getByText('All of it is shown.').waitFor();
  await answers.locator('img[src^="blob:"]').waitFor();
  await opened.idle();
  expect(asked.filter((one) => /shop|orders|\.\.|%2e|%5c/i.test(one))).toEqual([]);
  expect(asked).toContain('fetch /files/real.svg');
  expect(await answers.locator('img').count()).toBe(1);
  expect(shop.asked).toEqual([]);
  // What a script of this very page sends is the person's own doing.
  const call = (headers: Record<string, string>) =>
    page.evaluate(async ([path, more]) => (await fetch(path, { headers: more })).status, [
      `/${CALL}`,
      { Authorization: `Bearer ${person}`, ...headers },
    ] as const);
  expect([await call({}), await call({ 'X-Connector': 'shop' }), shop.asked.length]).toEqual([403, 200, 1]);
});

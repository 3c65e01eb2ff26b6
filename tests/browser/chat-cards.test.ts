import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scripted } from '../../packages/agent/src/models/scripted.ts';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { defineTool } from '../../packages/agent-core/src/tools/define-tool.ts';
import { openChatVisit } from './harness/open-chat-visit.ts';
import { SETTINGS } from './harness/open-visit.ts';

/** What an agent asks, and what it offers: approvals, speaking, examples, other agents. */

const dataFolder = mkdtempSync(path.join(tmpdir(), 'berth-cards-'));
const sent: unknown[] = [];
let heard = 0;
let agent: TestAgent;

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  risk: 'destructive',
  input: z.object({ to: z.string(), subject: z.string() }),
  label: ({ to }) => `Send a mail to ${to}`,
  run(input) {
    sent.push(input);
    return 'sent';
  },
});

/** Wants to send a mail when asked to, and says what came of it. */
const model = scripted(({ messages }) => {
  const text = JSON.stringify(messages.at(-1));
  if (text.includes('send')) {
    return { calls: [{ tool: 'send_mail', args: { to: 'all@example.org', subject: 'Menu of the week' } }] };
  }
  const isRefused = JSON.stringify(messages.slice(-2)).includes('refused');
  return isRefused ? 'Then I leave it.' : 'It is done.';
});

const speech = createServer(async (request, response) => {
  heard = (await buffer(request)).length;
  response.end('{"text":" What is on the menu? "}');
});

beforeAll(async () => {
  speech.listen(0, '127.0.0.1');
  await once(speech, 'listening');
  const example = await makeExample();
  agent = await openTestAgent({
    ...{ dataFolder, model, tools: [sendMail], handler: undefined },
    title: 'Kitchen helper',
    description: 'Plans menus and writes to guests.',
    speech: { baseUrl: `http://127.0.0.1:${(speech.address() as AddressInfo).port}/v1/`, apiKey: 'k', model: 'small' },
    examples: [{ label: 'Menus', shares: [example] }],
    explore: [
      {
        ...{ slug: 'atlas', title: 'Atlas', description: 'Finds places, and the way to them.' },
        link: 'http://atlas.localhost/',
      },
    ],
  } as never);
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  speech.closeAllConnections();
  speech.close();
  rmSync(dataFolder, { recursive: true, force: true });
});
beforeEach(() => {
  sent.length = 0;
});

/** The path of a conversation that the owner shares: examples are named when an agent is started. */
async function makeExample(): Promise<string> {
  await using first = await openTestAgent({ dataFolder });
  await (
    await first.call('owner', 'POST', '/chat?id=week', { messages: [{ role: 'user', content: 'A menu for a week' }] })
  ).text();
  const share = await (await first.call('owner', 'POST', '/share', { path: 'chat/week' })).json();
  return new URL(share.url, first.url).pathname;
}

const CARD_WORDS = {
  en: {
    ...{ edit: 'Edit input', args: /JSON object/, approve: 'Allow once', asBefore: 'Reset', agents: 'Other agents' },
    approved: 'Approved by',
  },
  ar: {
    ...{ edit: 'تعديل المدخلات', args: /كائن JSON/, approve: 'السماح مرة', asBefore: 'إعادة تعيين' },
    ...{ agents: 'وكلاء آخرون', approved: 'وافق' },
  },
} as const;

describe.each(SETTINGS)('what an agent asks and offers, $name', (setting) => {
  const isPhone = setting.width < 500;
  const own = CARD_WORDS[setting.language];

  it('shows examples and other agents, and lets a person change what a tool is given', async () => {
    await using opened = await openChatVisit(agent.url, setting);
    const { page, check, words } = opened;
    await opened.signIn();
    await page.getByRole('region', { name: 'Menus' }).getByRole('link').waitFor();
    await check('chat-examples');
    if (isPhone) {
      await page.getByRole('button', { name: words.settings }).click();
      await page.getByRole('menuitem', { name: own.agents }).click();
    } else await page.getByRole('button', { name: own.agents }).click();
    const dialog = page.getByRole('dialog', { name: own.agents });
    await dialog.getByRole('link', { name: /Atlas/ }).waitFor();
    await check('chat-agents');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await opened.say('send the menu');
    const card = page.getByRole('region', { name: /Send a mail to all@example.org/ });
    await card.getByRole('button', { name: own.edit }).click();
    const args = card.getByLabel(own.args);
    await args.fill('{ "to": ');
    await card.getByRole('button', { name: own.approve }).click();
    await card.getByRole('alert').filter({ hasText: 'JSON' }).waitFor();
    await check('chat-confirm-edit');
    await args.fill('{ "to": "mia@example.org", "subject": "Menu" }');
    await card.getByRole('button', { name: own.approve }).click();
    await page.getByText('It is done.').waitFor();
    expect(sent).toEqual([{ to: 'mia@example.org', subject: 'Menu' }]);
    await opened.answers.getByText('Send a mail to mia@example.org').first().waitFor({ state: 'attached' });
    // Fails when the decision isn't shown in the transcript, the stored one doesn't say who decided, or it
    // shows the arguments that the person has changed.
    const note = opened.answers.getByRole('note').filter({ hasText: `${own.approved} ${opened.person}: send_mail` });
    await note.waitFor();
    // The step that waited has run, and nothing was said in the person's name.
    expect(await opened.answers.locator('details[data-state=notRun]').count()).toBe(0);
    expect(await page.getByRole('article', { name: words.you }).count()).toBe(1);
    await check('chat-decision');
    expect(opened.problems).toEqual([]);
  });
});

it('takes no for an answer, and remembers what is always allowed', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page } = opened;
  await opened.signIn();
  await opened.say('send it');
  const card = page.getByRole('region', { name: /Send a mail/ });
  await card.getByText('all@example.org"').waitFor();
  await page.getByRole('img', { name: 'skipped', exact: true }).first().waitFor();
  await opened.check('chat-confirm');
  await card.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Then I leave it.').waitFor();
  await card.waitFor({ state: 'detached' });
  await page
    .getByRole('note')
    .filter({ hasText: `Denied by ${opened.person}: Send a mail to all@example.org` })
    .waitFor();
  expect(await page.getByRole('article', { name: opened.words.you }).count()).toBe(1);
  expect(sent).toEqual([]);
  await opened.idle();
  await opened.say('send it after all');
  // A page that was reloaded meanwhile asks still.
  await page.reload();
  await card.getByRole('button', { name: 'Always allow' }).click();
  await page.getByText('It is done.').waitFor();
  expect(sent).toHaveLength(1);
  const modes = await agent.call(opened.person, 'GET', '/tools');
  expect(await modes.json()).toEqual({ send_mail: 'allow' });
  await opened.idle();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitem', { name: 'Tools' }).click();
  const tools = page.getByRole('list', { name: 'Tools' });
  await tools.getByText('Destructive or externally visible').waitFor();
  await opened.check('chat-tools-listed');
  await tools.getByRole('button', { name: 'Reset to default: send_mail' }).click();
  await tools.getByRole('combobox').filter({ hasText: 'Ask first' }).waitFor();
  expect(await (await agent.call(opened.person, 'GET', '/tools')).json()).toEqual({});
});

it('opens an example as it was shared', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page } = opened;
  await opened.signIn();
  await page.getByRole('region', { name: 'Menus' }).getByRole('link').click();
  await page.getByText('You said: A menu for a week').waitFor();
});

it('writes what is said, once the microphone may be used', async () => {
  await using opened = await openChatVisit(agent.url, { hasMicrophone: true });
  const { page, field } = opened;
  await opened.signIn();
  const speak = page.getByRole('button', { name: 'Dictate' });
  await speak.click();
  await page.getByText('Microphone access is blocked').waitFor();
  await page.context().grantPermissions(['microphone'], { origin: agent.url });
  await field.fill('Tell me:');
  await speak.click();
  await page.getByText('Listening…').waitFor();
  await opened.check('chat-voice');
  await page.keyboard.press('Escape');
  await speak.waitFor();
  await speak.click();
  await page.getByText('Listening…').waitFor();
  await page.getByRole('button', { name: 'Insert text' }).click();
  await expect.poll(() => field.inputValue()).toBe('Tell me: What is on the menu?');
  expect(heard).toBeGreaterThan(100);
});

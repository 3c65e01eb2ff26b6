import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { createDemoHandler, type DemoHandler } from './harness/demo-handler.ts';
import { openChatVisit } from './harness/open-chat-visit.ts';
import { SETTINGS, type Setting } from './harness/open-visit.ts';
import { openSink, type Sink } from './harness/sink.ts';

/** An agent's page as people have it: the built one, served by the agent itself. */

const TITLE = 'Research </script><script>window.pwned=1</script>';

let agent: TestAgent;
let sink: Sink;
let demo: DemoHandler;

beforeAll(async () => {
  sink = await openSink();
  demo = createDemoHandler(sink.origin);
  agent = await openTestAgent({
    title: TITLE,
    description: 'Answers with its sources.',
    suggestions: ['Compare two plans', 'Write a report of the week'],
    // Too light for text: every check below fails where it is shown as it is.
    colors: { primary: '#ffe600' },
    handler: demo.handler,
  });
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await sink?.[Symbol.asyncDispose]();
});
beforeEach(() => demo.close());

/** At the page of the agent that the tests share. */
const visit = (setting: Partial<Setting> = {}) => openChatVisit(agent.url, setting);

const chatsOf = (page: Page) => page.getByRole('navigation', { name: 'Chats' }).getByRole('link');

describe.each(SETTINGS)('the chat page, $name', (setting) => {
  it('shows every component, and is sound for everybody', async () => {
    await using opened = await visit(setting);
    const { page, answers, check } = opened;
    await page.goto('/');
    await page.getByRole('button', { name: opened.words.signIn }).waitFor();
    await check('chat-sign-in');
    const ground = () => page.evaluate(() => document.documentElement.style.getPropertyValue('--accent-ground'));
    expect(await ground()).toMatch(/^#[67]\w{3}00$/);
    await opened.signIn();
    await check('chat-welcome');
    await opened.say('everything');
    await page.getByRole('button', { name: 'Say hello' }).waitFor();
    await opened.idle();
    // What is drawn late: colors and formulas.
    await answers.locator('.hljs-keyword').first().waitFor();
    await answers.locator('math').nth(1).waitFor();
    await check('chat-answer');
    await page.getByRole('heading', { name: 'Report' }).scrollIntoViewIfNeeded();
    await check('chat-answer-top');
    await expect.poll(() => answers.getByRole('checkbox').first().isChecked()).toBe(true);
    await answers.getByText('Search the files').click();
    await answers.getByText('3 files').waitFor();
    // A column sorts by what it says: numbers by their value.
    const first = answers
      .getByRole('group')
      .getByRole('row')
      .filter({ hasText: /report|notes/ })
      .first();
    expect(await first.textContent()).toContain('report');
    await answers.getByRole('button', { name: 'Pages' }).click();
    await expect.poll(() => first.textContent()).toContain('notes');
    await page.getByRole('button', { name: 'Say hello' }).click();
    await page.getByText('You said Say hello.').waitFor();
    await opened.idle();
    expect(opened.problems).toEqual([]);
  });
});

describe('what a message holds', () => {
  it('neither runs nor loads', async () => {
    await using opened = await visit();
    const { page, answers } = opened;
    await opened.signIn();
    await opened.say('attack');
    await page.getByText('The attack is over.').waitFor();
    await opened.idle();
    expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
    expect((await page.title()).endsWith(` · ${TITLE}`)).toBe(true);
    const hrefs = await answers.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    // A path of the person's own files is the worst that an address can become.
    expect(hrefs.filter((href) => !href?.startsWith(sink.origin) && !href?.startsWith('/files/'))).toEqual([]);
    await expect
      .poll(() => answers.locator('script, iframe, object, embed, style, img:not([src^="data:image/"])').count())
      .toBe(0);
    expect(sink.requests).toEqual([]);
    expect(opened.problems).toEqual([]);
    // Were it asked to, the browser itself would refuse.
    const refused = await page.evaluate(() => {
      try {
        document.body.innerHTML = '<b>x</b>';
        return false;
      } catch {
        return true;
      }
    });
    expect(refused).toBe(true);
  });
});

describe('an answer', () => {
  it('is stopped, and gone on with', async () => {
    await using opened = await visit();
    const { page, answers } = opened;
    await opened.signIn();
    await opened.say('slow');
    await page.getByText('The beginning,').waitFor();
    await page.keyboard.press('Escape');
    await opened.idle();
    await answers.getByText('Stopped').waitFor();
    await page.reload();
    await answers.getByText('Stopped').waitFor();
    await answers.getByText('The beginning,').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('You said Continue..').waitFor();
  });

  it('goes on after a reload and in a second tab, each character once', async () => {
    await using opened = await visit();
    const { page, answers } = opened;
    await opened.signIn();
    await opened.say('slow');
    await page.getByText('The beginning,').waitFor();
    await page.waitForURL(/\?id=/);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByText('The beginning,').waitFor();
    await page.reload();
    await page.getByText('The beginning,').waitFor();
    demo.open();
    for (const tab of [page, second]) {
      await tab.getByText('The beginning, the end.', { exact: true }).waitFor();
      await tab.getByRole('button', { name: 'Send', exact: true }).waitFor();
      await expect.poll(() => tab.getByRole('article', { name: 'Response' }).count()).toBe(1);
    }
    // What is said in one is seen in the other.
    await opened.say('in step');
    await second.getByText('You said in step.').waitFor();
    await expect.poll(() => answers.count()).toBe(2);
  });

  it('is asked for again, and for another message', async () => {
    await using opened = await visit();
    const { page, answers } = opened;
    await opened.signIn();
    await opened.say('count');
    await page.getByText('Answer number 1.').waitFor();
    await opened.idle();
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await page.getByText('Answer number 2.').waitFor();
    await opened.idle();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Edit' }).fill('otherwise');
    await page.getByRole('textbox', { name: 'Edit' }).press('Enter');
    await page.getByText('You said otherwise.').waitFor();
    await opened.idle();
    await expect.poll(() => answers.count()).toBe(1);
    await page.reload();
    await page.getByText('You said otherwise.').waitFor();
    await expect.poll(() => page.getByText('Answer number').count()).toBe(0);
    // What was replaced is still there, with its answer.
    const versions = page.getByRole('group', { name: 'Versions' });
    await versions.getByText('3/3').waitFor();
    await opened.check('chat-versions');
    await versions.getByRole('button', { name: 'Previous version' }).click();
    await page.getByText('Answer number 2.').waitFor();
    await versions.getByText('2/3').waitFor();
    await page.getByRole('button', { name: 'Good response' }).click();
    await page.getByRole('button', { name: 'Good response', pressed: true }).waitFor();
  });

  it('of 10,000 tokens holds the page up no longer than a moment, and lets go of who scrolls up', async () => {
    await using opened = await visit();
    const { page, answers } = opened;
    await opened.signIn();
    await page.evaluate(() => {
      const tasks: number[] = [];
      Object.assign(window, { tasks });
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
      });
    });
    await opened.say('long');
    const box = page.getByRole('region', { name: 'Conversation' });
    await expect.poll(() => box.evaluate((node) => node.scrollHeight > node.clientHeight * 2)).toBe(true);
    await box.hover();
    await page.mouse.wheel(0, -600);
    const away = page.getByRole('button', { name: 'Jump to latest' });
    await away.waitFor();
    const before = await box.evaluate((node) => node.scrollTop);
    await page.getByText('w9999').waitFor({ state: 'attached', timeout: 60_000 });
    await opened.idle();
    expect(await box.evaluate((node) => node.scrollTop)).toBe(before);
    await away.click();
    await away.waitFor({ state: 'detached' });
    expect((await answers.textContent())?.match(/w\d+/g)).toHaveLength(10_000);
    const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
    // On a quiet machine there is none above 50 ms; one that is full of other work takes its time between any two lines.
    expect(tasks.toSorted((a, b) => a - b).at(Math.floor(tasks.length / 2)) ?? 0).toBeLessThan(250);
  });
});

describe('chats', () => {
  it('are found, named, kept on top of mind, deleted and brought back', async () => {
    await using opened = await visit();
    const { page } = opened;
    const chats = chatsOf(page);
    await opened.signIn();
    for (const text of ['first apple', 'second pear']) {
      await page.getByRole('button', { name: 'New chat' }).click();
      await opened.say(text);
      await page.getByText(`You said ${text}.`).waitFor();
      await opened.idle();
    }
    await expect.poll(() => chats.allInnerTexts()).toEqual(['second pear', 'first apple']);
    const more = (name: string) => page.getByRole('button', { name: `More actions for “${name}”` });
    await more('second pear').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('About pears');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => chats.allInnerTexts()).toEqual(['About pears', 'first apple']);
    await more('About pears').click();
    await page.getByRole('menuitem', { name: 'Add to favorites' }).click();
    await page.getByRole('img', { name: 'Favorite' }).waitFor();
    await opened.check('chat-list');
    await page.getByRole('searchbox', { name: 'Search chats' }).fill('apple');
    await expect.poll(() => chats.locator('mark').allInnerTexts()).toEqual(['apple']);
    await opened.check('chat-search');
    await chats.first().click();
    await page.getByRole('region', { name: 'Conversation' }).getByText('You said first apple.').waitFor();
    await expect.poll(() => page.title()).toMatch(/^first apple · /);
    await page.getByRole('searchbox', { name: 'Search chats' }).fill('');
    await expect.poll(() => chats.count()).toBe(2);
    await more('About pears').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => chats.allInnerTexts()).toEqual(['first apple']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => chats.allInnerTexts()).toEqual(['About pears', 'first apple']);
    await chats.getByText('first apple').click();
    await page.getByText('You said first apple.').waitFor();
    await page.goBack();
    await opened.field.waitFor();
  });

  it('are shared by a link, read by anybody, and gone on with by who signs in', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.signIn();
    await opened.say('hello');
    await page.getByText('You said hello.').waitFor();
    await opened.idle();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByText('Link created.').waitFor();
    // Closed and opened again, the dialog still has the link, which names nobody.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Share' }).click();
    const url = await page.getByRole('region', { name: 'Links to this chat' }).locator('code').textContent();
    expect(url).not.toContain(opened.person);
    await opened.check('chat-share');
    await using other = await visit();
    await other.page.goto(url ?? '');
    await other.page.getByText('You said hello.').waitFor();
    await other.check('chat-shared');
    await other.page.getByRole('button', { name: 'Continue this chat' }).click();
    await other.page.getByLabel(/^Access token/).fill(other.person);
    await other.page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('button', { name: 'Continue this chat' }).click();
    await other.page.waitForURL(/\/\?id=/);
    await other.say('mine now');
    await other.page.getByText('You said mine now.').waitFor();
    await page.getByRole('button', { name: 'Revoke link' }).click();
    await page.getByText('Link revoked').waitFor();
    await other.page.goto(url ?? '');
    await other.page.getByRole('heading', { name: "This link isn't available" }).waitFor();
  });
});

describe('what is typed', () => {
  it('outlives a reload, with its files', async () => {
    await using opened = await visit();
    const { page, field } = opened;
    await opened.signIn();
    await field.fill('a long thought');
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') };
    await page.locator('input[type=file]').first().setInputFiles(file);
    await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).toContain('attachments/');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('a long thought');
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  });

  it('goes with files, by a button and by pasting', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.signIn();
    const file = { name: 'né tes.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') };
    await page.getByLabel('Files to attach').setInputFiles(file);
    await page.getByRole('button', { name: 'Remove né tes.txt' }).waitFor();
    await opened.check('chat-attached');
    await opened.say('Look');
    await page.getByText('You said Look.').waitFor();
    await page.getByRole('article', { name: 'You' }).getByRole('link', { name: 'né tes.txt' }).click();
    const preview = page.getByRole('dialog', { name: 'né tes.txt' });
    await preview.getByText('hi', { exact: true }).waitFor();
    await opened.check('chat-attachment');
    const download = page.waitForEvent('download');
    await preview.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('né tes.txt');
  });
});

it('takes people to their teams and back, and makes new ones', async () => {
  await using teams = await openTestAgent({ workspaces: 'member' });
  await using opened = await openChatVisit(teams.url, { person: 'bob.acme' });
  const { page } = opened;
  await opened.signIn();
  const select = page.getByRole('combobox', { name: 'Workspace' });
  const choose = async (name: string) => {
    await select.click();
    await page.getByRole('option', { name }).click();
  };
  await opened.say('to myself');
  await page.getByText('You said: to myself').waitFor();
  await select.click();
  await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['Personal', 'General', 'New team…']);
  await page.getByRole('option', { name: 'New team…' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Kitchen');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\?ws=t-[0-9a-z]+$/);
  await expect.poll(() => select.textContent()).toContain('Kitchen');
  const team = new URL(page.url()).searchParams.get('ws');
  await opened.say('to the team');
  await page.waitForURL(/\?id=[\w-]+&ws=t-/);
  await expect.poll(() => chatsOf(page).allInnerTexts()).toEqual(['to the team']);
  await page.reload();
  await page.getByText('You said: to the team').waitFor();
  const stored = await teams.call('bob.acme', 'GET', '/chats', undefined, { 'X-Workspace': String(team) });
  expect(await stored.json()).toMatchObject([{ title: 'to the team' }]);
  await choose('Personal');
  await expect.poll(() => chatsOf(page).allInnerTexts()).toEqual(['to myself']);
  await page.goBack();
  await page.getByText('You said: to the team').waitFor();
  expect(opened.problems).toEqual([]);

  await using other = await openChatVisit(teams.url, { person: 'eve.other' });
  await other.signIn(`/?ws=${team}`);
  await other.page.getByRole('alert').getByText('No such workspace.').first().waitFor();
  await other.page.getByRole('combobox', { name: 'Workspace' }).click();
  await other.page.getByRole('option', { name: 'General' }).click();
  await other.say('hello');
  await other.page.getByText('You said: hello').waitFor();
});

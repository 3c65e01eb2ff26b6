import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { NO_BROWSER, openBrowser, openPage } from './testing/open-browser.ts';

let browser: Browser;
let agent: TestAgent;
beforeAll(async () => {
  if (NO_BROWSER) return;
  [browser, agent] = await Promise.all([openBrowser(), openTestAgent({ workspaces: 'member' })]);
});
afterAll(async () => {
  await browser?.close();
  await agent?.[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (NO_BROWSER) context.skip(NO_BROWSER);
});

const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const workspace = (page: Page) => page.getByRole('combobox', { name: 'Workspace' });
const shown = (page: Page) => workspace(page).locator('option:checked').textContent();

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
  await page.getByText(`You said: ${text}`).waitFor();
}

/** What a page's dialogs are answered with is the token, and so the name of a team that is made on it. */
async function visit(token: string, target = '/') {
  const opened = await openPage(browser, token);
  await opened.page.goto(agent.url + target);
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  await workspace(opened.page).waitFor();
  return opened;
}

it('takes people to their teams and back, and makes new ones', async () => {
  await using opened = await visit('bob.acme');
  const { page, problems } = opened;
  expect(await workspace(page).locator('option').allTextContents()).toEqual(['Personal', 'General', 'New team…']);
  expect(await shown(page)).toBe('Personal');
  await say(page, 'to myself');
  await workspace(page).selectOption('New team…');
  await page.waitForURL(/\?ws=t-[0-9a-z]+$/);
  await workspace(page).waitFor();
  expect(await shown(page)).toBe('bob.acme');
  const team = new URL(page.url()).searchParams.get('ws');
  await say(page, 'to the team');
  await page.waitForURL(/\?id=[\w-]+&ws=t-/);
  expect(await page.getByRole('navigation', { name: 'Chats' }).getByText('to myself').count()).toBe(0);
  await page.reload();
  await page.getByText('You said: to the team').waitFor();
  const stored = await agent.call('bob.acme', 'GET', '/chats', undefined, { 'X-Workspace': String(team) });
  expect(await stored.json()).toMatchObject([{ title: 'to the team' }]);
  const { violations } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);

  await workspace(page).selectOption('Personal');
  await page.getByRole('navigation', { name: 'Chats' }).getByText('to myself').waitFor();
  expect(await page.getByText('to the team').count()).toBe(0);
  await page.goBack();
  await page.getByText('You said: to the team').waitFor();
  expect(await shown(page)).toBe('bob.acme');
  expect(problems).toEqual([]);

  await using other = await visit('eve.other', `/?ws=${team}`);
  await other.page.getByRole('alert').getByText('There is no such workspace.').waitFor();
  expect(await workspace(other.page).inputValue()).toBe('');
  await workspace(other.page).selectOption('General');
  await say(other.page, 'hello');
});

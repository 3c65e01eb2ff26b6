import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ar } from '../../apps/console/src/text/ar/index.ts';
import { en } from '../../apps/console/src/text/en/index.ts';
import { REPO, startBerth } from '../harness/berth.ts';
import { dropFiles, dropFolder } from './harness/drop.ts';
import { CHAT_WORDS, onChatPage } from './harness/open-chat-visit.ts';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const TEXTS = { en, ar } as const;
const EXAMPLE = path.join(REPO, 'examples/hello-node');
const FILES = Object.fromEntries(
  readdirSync(EXAMPLE).map((name) => [name, readFileSync(path.join(EXAMPLE, name), 'utf8')]),
);

/** Pages that are loaded for the first time, and what is being built meanwhile, on a busy machine. */
const LOADED = { timeout: 90_000 };

/** What someone does on the first day who has never seen a terminal; a fresh platform has deployed its example agent. */
describe.each(SETTINGS)('the first day, $name', (setting) => {
  it('goes from the link to a service, its logs, a file in a volume and a chat', { timeout: 240_000 }, async () => {
    await using berth = await startBerth({ hasExample: true });
    const link = /http:\S+\/first-run#[\w-]+/.exec(berth.output)?.[0] ?? '';
    const url = new URL(link).origin;
    await using visit = await openVisit({ ...setting, url, isSignedIn: false });
    const { page } = visit;
    const t = (key: keyof typeof en, values: Readonly<Record<string, string>> = {}) =>
      Object.entries(values).reduce(
        (text, [name, value]) => text.replace(`{${name}}`, value),
        String(TEXTS[setting.language][key]),
      );
    const button = (label: string) => page.getByRole('button', { name: label, exact: true });

    await page.goto(link);
    await page.getByLabel(t('firstRun.name')).fill('Maryam', LOADED);
    await page.getByLabel(t('signIn.email')).fill('maryam@example.org');
    await page.getByLabel(t('signIn.password'), { exact: true }).fill('correct horse battery');
    await visit.check('day-1-account');
    await button(t('firstRun.submit')).click();
    await page.getByRole('heading', { level: 1, name: t('nav.deployments') }).waitFor();
    await visit.check('day-2-deployments');

    await dropFolder(page, 'My First Service', FILES);
    // The example is there already under its own name.
    const name = page.getByRole('dialog').getByLabel(t('shell.name'), { exact: true });
    await expect.poll(() => name.inputValue()).not.toBe('');
    await name.fill('my-first-service');
    await page.getByText(t('deploy.nameFree')).waitFor();
    await visit.check('day-3-drop');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('deploy.action'), exact: true })
      .click();
    const panel = page.getByRole('region', { name: t('deploy.panel', { name: 'my-first-service' }) });
    await panel.getByText(t('deploy.phase.done'), { exact: true }).waitFor(LOADED);
    await visit.check('day-4-started');
    const [site] = await Promise.all([
      page.context().waitForEvent('page'),
      panel.getByRole('link', { name: t('deployment.open'), exact: true }).click(),
    ]);
    await site.getByRole('heading', { name: 'Hello from Berth' }).waitFor();
    await site.close();
    await panel.getByRole('button', { name: { en: 'Close', ar: 'إغلاق' }[setting.language] }).click();

    await page.getByRole('link', { name: 'my-first-service' }).first().click();
    await page
      .getByRole('main')
      .getByRole('link', { name: t('overview.allLogs'), exact: true })
      .click();
    await page.getByText('GET').first().waitFor();
    await visit.check('day-5-logs');

    await go(page, t('nav.volumes'));
    await button(t('volumes.create')).first().click();
    await page.getByLabel(t('shell.name')).fill('photos');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('volumes.create') })
      .click();
    await page.getByRole('link', { name: 'photos' }).click();
    await page.getByRole('heading', { name: t('files.empty.title') }).waitFor();
    await dropFiles(page, { 'hello.txt': 'hello' });
    await page.getByRole('row').filter({ hasText: 'hello.txt' }).waitFor();
    await visit.check('day-6-volume');

    await go(page, t('nav.deployments'));
    const agent = page.getByRole('row').filter({ hasText: 'agent-echo' });
    await agent.filter({ hasText: t('deployments.status.ready') }).waitFor(LOADED);
    await agent.getByRole('link').first().click();
    const words = CHAT_WORDS[setting.language];
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: t('deployment.open') }).click(),
    ]);
    const chat = onChatPage(tab, words);
    // The page knows them: who is signed in at the console is signed in here.
    await tab.getByRole('button', { name: words.signIn }).click();
    await chat.field.waitFor(LOADED);
    await chat.say('ahoy');
    await chat.answers.getByText('ahoy').waitFor(LOADED);
    await chat.idle();
    await tab.reload();
    await chat.answers.getByText('ahoy').waitFor(LOADED);
    await chat.say('and again');
    await chat.answers.getByText('and again').waitFor();
    await tab.screenshot({
      path: path.join(REPO, `test-results/screens/day-7-chat-${setting.name.replace(' ', '-')}.png`),
    });
    expect(visit.problems).toEqual([]);
  });
});

async function go(page: Page, name: string): Promise<void> {
  const entry = page.getByRole('navigation').getByRole('link', { name, exact: true });
  const menu = page.getByRole('banner').getByRole('button', { expanded: false });
  if (!(await entry.isVisible())) await menu.last().click();
  await entry.click();
}

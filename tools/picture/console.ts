import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { en } from '../../apps/console/src/text/en/index.ts';
import { dropFolder } from '../../tests/browser/harness/drop.ts';
import { CHAT_WORDS, onChatPage } from '../../tests/browser/harness/open-chat-visit.ts';
import { type Berth, REPO, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { volumeClient } from '../../tests/harness/volumes.ts';
import { pictureAccount } from './account-pages.ts';
import { SHOP, visitService } from './services.ts';
import type { TakePicture } from './take-picture.ts';

const PERSON = { name: 'Maryam', email: 'maryam@example.org', password: 'correct horse battery' };
const EXAMPLE = path.join(REPO, 'examples/hello-node');
const FILES = Object.fromEntries(
  readdirSync(EXAMPLE).map((name) => [name, readFileSync(path.join(EXAMPLE, name), 'utf8')]),
);
const REQUESTS = 400;

/** Takes the pictures of the console: the first day, and the pages of a platform that is in use. */
export async function pictureConsole(browser: Browser, take: TakePicture): Promise<void> {
  await using berth = await startBerth({ hasExample: true });
  const link = /http:\S+\/first-run#[\w-]+/.exec(berth.output)?.[0] ?? '';
  const context = await browser.newContext({
    ...{ baseURL: new URL(link).origin, viewport: { width: 1_280, height: 800 }, colorScheme: 'light', locale: 'en' },
  });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  await page.goto(link);
  await page.getByLabel(en['firstRun.name']).fill(PERSON.name);
  await page.getByLabel(en['signIn.email']).fill(PERSON.email);
  await page.getByLabel(en['signIn.password'], { exact: true }).fill(PERSON.password);
  await take(page, 'first-day-account');
  await button(en['firstRun.submit']).click();
  await page.getByRole('heading', { level: 1, name: en['nav.deployments'] }).waitFor();
  await dropFolder(page, 'My First Service', FILES);
  const name = page.getByRole('dialog').getByLabel(en['shell.name'], { exact: true });
  await name.fill('my-first-service');
  await page.getByText(en['deploy.nameFree']).waitFor();
  await take(page, 'first-day-drop');
  await page.getByRole('dialog').getByRole('button', { name: en['deploy.action'], exact: true }).click();
  await page.getByRole('link', { name: en['deployment.open'], exact: true }).first().waitFor();
  await take(page, 'first-day-started');

  await page.close();
  await picturePages(berth, await context.newPage(), take);
  await context.close();
}

/** The pages of a platform that is in use. In a tab of its own, without the panel of the deploy. */
async function picturePages(berth: Berth, page: Page, take: TakePicture): Promise<void> {
  const photos = volumeClient(berth, 'photos');
  await photos.create();
  for (const [file, text] of Object.entries(FILES)) await photos.put(`site/${file}`, text);
  await photos.put('hello.txt', 'hello');
  await photos.put('تقرير المد والجزر.csv', 'a,b\n1,2\n');
  await open(page, '/volumes/photos');
  await page.getByRole('row').filter({ hasText: 'hello.txt' }).waitFor();
  await take(page, 'first-day-volume');

  await deployed(berth, 'shop', { files: SHOP });
  await visitService(berth, 'shop', REQUESTS);
  await open(page, '/deployments');
  await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
  await take(page, 'console-deployments');
  await open(page, '/deployments/shop');
  await page.locator('.uplot canvas').first().waitFor();
  await take(page, 'console-service');
  await open(page, `/logs?deployment=shop&q=${encodeURIComponent('severity>=WARNING')}`);
  await page.getByText('declined').first().waitFor();
  await take(page, 'console-logs');
  await pictureAccount(berth, page, open, take);
  await pictureChat(page, take);
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
}

/** A chat with the example agent, which knows the person from the console. */
async function pictureChat(page: Page, take: TakePicture): Promise<void> {
  await page.goto('/deployments');
  await page.getByRole('row').filter({ hasText: 'agent-echo' }).getByText(en['deployments.status.ready']).waitFor();
  await open(page, '/deployments/agent-echo');
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: en['deployment.open'], exact: true }).first().click(),
  ]);
  const chat = onChatPage(tab, CHAT_WORDS.en);
  const signIn = tab.getByRole('button', { name: CHAT_WORDS.en.signIn });
  await signIn.or(chat.field).first().waitFor();
  if (await signIn.isVisible()) await signIn.click();
  await chat.field.waitFor();
  await chat.say('Hello! What can you do?');
  await chat.idle();
  await take(tab, 'first-day-chat');
}

// How the console's logs, SQL and audit log do with much: 1 M log entries, 100,000 audit lines. Run: node bench/console/main.ts
import os from 'node:os';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM_OPTIONS } from '../../packages/agent/src/page/testing/open-browser.ts';
import { createBerth, REPO } from '../../tests/harness/berth.ts';
import { buildPage } from '../../tools/web/build-page.ts';
import { seedAudit, seedLog } from './seed.ts';

const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const LINES = Number(process.argv[3] ?? 100_000);
const DEPLOYMENT = 'a-million';
const PERSON = { name: 'Ada', email: 'ada@example.org', password: 'correct horse battery' };

await buildPage(REPO, 'apps/console');
const berth = createBerth();
await berth.start();
const token = /first-run#([\w-]+)/.exec(berth.output)?.[1];
const url = `http://localhost:${berth.port}`;
const first = await berth.post('/v1/auth/first-run', { ...PERSON, token }, { 'X-Berth-Browser': '1', Origin: url });
const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(first.headers.getSetCookie()[0] ?? '') ?? [];
const { account } = (await (await berth.api('/v1/user')).json()) as { account: { id: string } };
const keys = (await (await berth.api('/v1/user/keys')).json()) as { id: string }[];
await berth.stop();
await timed(`seed ${ENTRIES} entries`, () =>
  seedLog(berth.dataFolder, { account: account.id, deployment: DEPLOYMENT }, ENTRIES),
);
await timed(`seed ${LINES} audit lines`, () =>
  seedAudit(berth.dataFolder, { account: account.id, keyId: keys[0]?.id ?? '' }, LINES),
);
await berth.start();
const browser = await chromium.launch(CHROMIUM_OPTIONS);
try {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1_280, height: 800 } });
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { longTasks: tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
  for (const round of ['cold', 'warm']) {
    await timed(`logs, first row, ${round}`, async () => {
      await page.goto(`/logs?deployment=${DEPLOYMENT}&range=6h`);
      await page.locator('button[aria-expanded] time').first().waitFor();
    });
    await timed(`logs, histogram of all, ${round}`, () => page.locator('svg rect.fill-bad').first().waitFor());
    console.log(`  ${await page.getByText(/entries? · /).textContent()}`);
    await tellLongTasks(page);
  }
  await timed('logs, fields', async () => {
    await page.getByRole('button', { name: 'Fields', exact: true }).click();
    await page.getByRole('complementary', { name: 'Fields' }).getByText('jsonPayload.user_id').waitFor();
  });
  await timed('logs, a filter that one of 1,500 fits', async () => {
    await page.getByLabel('Filter', { exact: true }).fill('jsonPayload.user_id="u-77"');
    await page.getByLabel('Filter', { exact: true }).press('Enter');
    await page.waitForFunction(() => new URL(location.href).searchParams.has('filter'));
    await page.locator('button[aria-expanded] time').first().waitFor();
  });
  await page.goto(`/logs?deployment=${DEPLOYMENT}&range=6h`);
  await page.locator('button[aria-expanded] time').first().waitFor();
  await timed('logs, ten pages scrolled', () => scrollPages(page, 10));
  await tellLongTasks(page);
  await timed('audit, first row', async () => {
    await page.goto('/audit');
    await page.locator('button[aria-expanded] time').first().waitFor();
  });
  await timed('audit, scrolled to the first of all', async () => {
    await page.waitForFunction(
      () => {
        scrollTo(0, document.documentElement.scrollHeight);
        return document.body.textContent?.includes('This is the first change');
      },
      undefined,
      { polling: 50 },
    );
  });
  await tellLongTasks(page);
  await timed('audit, one target of 997', async () => {
    await page.goto('/audit?target=service-996&action=key.create');
    await page.locator('button[aria-expanded] time').first().waitFor();
  });
  await timed('audit, all as CSV', async () => {
    await page.goto('/audit');
    await page.locator('button[aria-expanded] time').first().waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await (await download).path();
  });
} finally {
  await browser.close();
  await berth.close();
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  await work();
  const load = os.loadavg()[0]?.toFixed(1);
  console.log(`${what}: ${Math.round(performance.now() - startedMs)} ms (load ${load})`);
}

async function scrollPages(page: Page, pages: number): Promise<void> {
  for (let index = 0; index < pages; index++) {
    const before = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForFunction((height) => document.documentElement.scrollHeight > height, before);
  }
}

async function tellLongTasks(page: Page): Promise<void> {
  const tasks = await page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks.splice(0));
  const longest = Math.round(Math.max(0, ...tasks));
  console.log(`  long tasks: ${tasks.length}, the longest ${longest} ms`);
}

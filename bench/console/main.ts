// How the console does with much: 10,000 deployments, 1 M log entries, 1 M objects, 100,000 audit lines. For each journey it
// prints its time, the long tasks of the main thread, and the 95th percentile of interaction to next paint. The aims are in
// bench/README.md; figures of a busy machine say nothing. Run: npm run bench:console -- [ENTRIES LINES DEPLOYMENTS OBJECTS]
import os from 'node:os';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM_OPTIONS } from '../../packages/agent/src/page/testing/open-browser.ts';
import { createBerth, REPO } from '../../tests/harness/berth.ts';
import { buildPage } from '../../tools/web/build-page.ts';
import { observeResponsiveness, readResponsiveness } from './interactions.ts';
import { seedAudit, seedDeployments, seedLog, seedObjects } from './seed.ts';

const [ENTRIES = 1_000_000, LINES = 100_000, DEPLOYMENTS = 10_000, OBJECTS = 1_000_000] = process.argv
  .slice(2)
  .map(Number);
const DEPLOYMENT = 'a-million';
const VOLUME = 'objects';
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
await berth.post('/v1/volume/create', { name: VOLUME }, { 'X-API-Key': berth.key });
await berth.stop();
await timed(`seed ${ENTRIES} entries`, () =>
  seedLog(berth.dataFolder, { account: account.id, deployment: DEPLOYMENT }, ENTRIES),
);
await timed(`seed ${LINES} audit lines`, () =>
  seedAudit(berth.dataFolder, { account: account.id, keyId: keys[0]?.id ?? '' }, LINES),
);
await timed(`seed ${DEPLOYMENTS} deployments`, () => seedDeployments(berth.dataFolder, account.id, DEPLOYMENTS));
await timed(`seed ${OBJECTS} objects`, () => seedObjects(berth.dataFolder, account.id, VOLUME, OBJECTS));
await berth.start();
const browser = await chromium.launch(CHROMIUM_OPTIONS);
try {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1_280, height: 800 } });
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await observeResponsiveness(page);
  const journey = async (what: string, work: () => Promise<unknown>) => {
    await timed(what, work);
    const { longTasks, longestTaskMs, interactions, p95Ms } = await readResponsiveness(page);
    const shown = interactions === 0 ? 'no interactions' : `${interactions} interactions, p95 ${p95Ms} ms`;
    console.log(`  long tasks: ${longTasks}, the longest ${longestTaskMs} ms; ${shown}`);
  };
  const rows = page.getByRole('row');
  for (const round of ['cold', 'warm']) {
    await journey(`deployments, first row, ${round}`, async () => {
      await page.goto('/deployments');
      await rows.nth(1).waitFor();
    });
  }
  await journey('deployments, found by typing', async () => {
    await page.getByRole('searchbox').pressSequentially('service-00077');
    await rows.filter({ hasText: 'service-00077' }).first().waitFor();
    await page.getByRole('searchbox').fill('');
    await rows.nth(5).waitFor();
  });
  await journey('deployments, scrolled', () => scrollSteps(page, 30));
  await journey('volume, first row of the root', async () => {
    await page.goto(`/volumes/${VOLUME}`);
    await rows.nth(1).waitFor();
  });
  await journey('volume, first row of a folder', async () => {
    await page.getByRole('link', { name: 'part-000' }).click();
    await rows.filter({ hasText: 'object-0000000' }).waitFor();
  });
  await journey('volume, found by typing', async () => {
    await page.getByRole('searchbox').pressSequentially(OBJECTS > 777 ? 'object-0000777' : 'object-0000007');
    await rows.filter({ hasText: OBJECTS > 777 ? 'object-0000777' : 'object-0000007' }).waitFor();
    await page.getByRole('searchbox').fill('');
  });
  await journey('volume, scrolled', () => scrollSteps(page, 30));
  for (const round of ['cold', 'warm']) {
    await timed(`logs, first row, ${round}`, async () => {
      await page.goto(`/logs?deployment=${DEPLOYMENT}&range=6h`);
      await page.locator('button[aria-expanded] time').first().waitFor();
    });
    await journey(`logs, histogram of all, ${round}`, () => page.locator('svg rect.fill-bad').first().waitFor());
    console.log(`  ${await page.getByText(/entries? · /).textContent()}`);
  }
  await journey('logs, entries opened and closed', async () => {
    for (const index of [0, 3, 6, 9]) await page.locator('button[aria-expanded]:has(time)').nth(index).click();
  });
  await journey('logs, fields', async () => {
    await page.getByRole('button', { name: 'Fields', exact: true }).click();
    await page.getByRole('complementary', { name: 'Fields' }).getByText('jsonPayload.user_id').waitFor();
  });
  await journey('logs, a filter that one of 1,500 fits', async () => {
    await page.getByLabel('Filter', { exact: true }).pressSequentially('jsonPayload.user_id="u-77"');
    await page.getByLabel('Filter', { exact: true }).press('Enter');
    await page.waitForFunction(() => new URL(location.href).searchParams.has('filter'));
    await page.locator('button[aria-expanded] time').first().waitFor();
  });
  await page.goto(`/logs?deployment=${DEPLOYMENT}&range=6h`);
  await page.locator('button[aria-expanded] time').first().waitFor();
  await journey('logs, ten pages scrolled', () => scrollPages(page, 10));
  await journey('SQL, editor', async () => {
    await page.goto('/sql');
    await page.getByLabel('Query', { exact: true }).waitFor();
  });
  await journey('SQL, a query typed and run', async () => {
    const editor = page.getByLabel('Query', { exact: true });
    await editor.pressSequentially('SELECT severity, COUNT(*) AS n FROM logs GROUP BY severity');
    await editor.press('ControlOrMeta+Enter');
    await page.getByRole('table').waitFor();
  });
  await journey('audit, first row', async () => {
    await page.goto('/audit');
    await page.locator('button[aria-expanded] time').first().waitFor();
  });
  await journey('audit, scrolled to the first of all', async () => {
    await page.waitForFunction(
      () => {
        scrollTo(0, document.documentElement.scrollHeight);
        return document.body.textContent?.includes('Start of log');
      },
      undefined,
      { polling: 50 },
    );
  });
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

/** Scrolls down by most of a window at a time, at each frame. */
async function scrollSteps(page: Page, steps: number): Promise<void> {
  await page.evaluate(async (count) => {
    for (let step = 0; step < count; step += 1) {
      scrollBy(0, innerHeight * 0.9);
      await new Promise(requestAnimationFrame);
    }
  }, steps);
}

async function scrollPages(page: Page, pages: number): Promise<void> {
  for (let index = 0; index < pages; index++) {
    const before = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForFunction((height) => document.documentElement.scrollHeight > height, before);
  }
}

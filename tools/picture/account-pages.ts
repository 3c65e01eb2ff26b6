import type { Page } from 'playwright-core';
import { en } from '../../apps/console/src/text/en/index.ts';
import { createColleague } from '../../tests/harness/accounts.ts';
import type { Berth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { runSchedule } from '../../tests/harness/schedules.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import { SHOP } from './services.ts';
import type { TakePicture } from './take-picture.ts';

const QUERY = `SELECT http_request.request_url AS url,
       COUNT(*) AS requests,
       COUNT(*) FILTER (http_request.status >= 500) AS errors
FROM logs
WHERE http_request.status IS NOT NULL
GROUP BY url
ORDER BY requests DESC`;

const SCHEDULE = { cron: '30 2 * * MON-FRI', timezone: 'Europe/Oslo' };
const RUNS = 3;

/** Opens a page of the console. Resolves when its heading is shown and its requests are answered. */
export type OpenPage = (page: Page, address: string) => Promise<void>;

/** Takes the pictures of SQL, a schedule, domains, people and billing. The deployment `shop` exists and has been visited. */
export async function pictureAccount(berth: Berth, page: Page, open: OpenPage, take: TakePicture): Promise<void> {
  await open(page, `/sql?query=${encodeURIComponent(QUERY)}`);
  await page.locator('.cm-content').waitFor();
  await page.getByRole('button', { name: en['sql.run'], exact: true }).click();
  await page.getByRole('cell', { name: '/pay' }).first().waitFor();
  await take(page, 'console-sql');

  await deployed(berth, 'nightly-report', { files: SHOP, fields: { schedule: JSON.stringify(SCHEDULE) } });
  for (let run = 0; run < RUNS; run++) await runSchedule(berth, 'nightly-report');
  await open(page, '/deployments/nightly-report?tab=schedule');
  await page.getByRole('row').nth(RUNS).waitFor();
  await take(page, 'console-schedule');

  for (const domain of ['shop.example.com', 'www.shop.example.com']) {
    await berth.post('/v1/domain/add', { deployment_name: 'shop', domain });
  }
  await open(page, '/deployments/shop?tab=domains');
  await page.getByText('www.shop.example.com').first().waitFor();
  await take(page, 'console-domains');

  for (const name of ['Ada', 'Grace']) await createColleague(berth, name);
  await berth.post('/v1/user/invites', { role: 'admin', email: 'linus@example.com' });
  await open(page, '/people');
  await page.getByText('linus@example.com').first().waitFor();
  await take(page, 'console-people');

  await waitFor('the requests are billed', () => isBilled(berth), { timeoutMs: 60_000 });
  await open(page, '/billing');
  await page.getByRole('tab', { name: en['billing.by.deployment'], exact: true }).click();
  await page.getByRole('table', { name: en['billing.costs'] }).getByText('nightly-report').first().waitFor();
  await take(page, 'console-billing');
}

/** Usage is written down every five seconds. */
async function isBilled(berth: Berth): Promise<boolean> {
  const query = "SELECT SUM(cost) AS cost FROM billing WHERE resource.name = 'nightly-report'";
  const [row] = (await (await berth.post('/v1/sql', { query })).json()) as readonly { readonly cost: number }[];
  return Number(row?.cost) > 0;
}

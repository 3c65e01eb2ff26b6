import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { ar } from '../../apps/console/src/text/ar/index.ts';
import { en } from '../../apps/console/src/text/en/index.ts';
import { nodeProject } from '../harness/project-files.ts';
import { deployService } from './harness/deploy-service.ts';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const TEXTS = { en, ar } as const;
const NAME = 'billed';
const SERVICE = `
  import { createServer } from 'node:http';
  createServer((_, response) => response.end('ok')).listen(process.env.PORT);
`;

beforeAll(async () => {
  await deployService(NAME, nodeProject(SERVICE));
  const { url, key } = inject('platform');
  const query = `SELECT SUM(cost) AS cost FROM billing WHERE resource.name = '${NAME}'`;
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const cost = async () => {
    const answer = await fetch(`${url}/v1/sql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return Number(((await answer.json()) as [{ cost: number }])[0].cost);
  };
  // Usage is written down every five seconds.
  await vi.waitUntil(async () => (await cost()) > 0, { timeout: 50_000, interval: 500 });
});

describe.each(SETTINGS)('billing, $name', (setting) => {
  it('shows the plan, its limits, and costs by day, deployment and SKU', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const texts = TEXTS[setting.language];
    await page.goto('/billing');
    const table = page.getByRole('table', { name: texts['billing.costs'] as string });
    await table.getByText(texts['billing.total'] as string).waitFor();
    await page.getByRole('figure').getByRole('img').waitFor();
    await page
      .getByRole('term')
      .filter({ hasText: texts['nav.deployments'] as string })
      .waitFor();
    await visit.check('billing-day');
    await page.getByRole('tab', { name: texts['billing.by.deployment'] as string }).click();
    await table.getByText(NAME).first().waitFor();
    await visit.check('billing-deployment');
    await page.getByRole('tab', { name: texts['billing.by.sku'] as string }).click();
    await table.getByText('Requests').or(table.getByText('CPU')).first().waitFor();

    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: texts['billing.csv'] as string }).click(),
    ]);
    expect(await text(await csv.createReadStream())).toMatch(/^sku,cost,currency\n/);
    const plans = page.getByRole('table', { name: texts['billing.plans'] as string });
    await plans.getByText(texts['billing.plan.current'] as string).waitFor();
    await plans.scrollIntoViewIfNeeded();
    await visit.check('billing-plans');
    // Where no plan is sold there is nothing to pay.
    expect(await page.getByRole('button', { name: texts['billing.portal'] as string }).count()).toBe(0);
  });
});

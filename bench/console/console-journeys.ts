import type { Page } from 'playwright-core';

/** Measures one journey: does `work`, which ends when what it waits for is shown. */
export type Measure = (
  name: string,
  work: () => Promise<unknown>,
  options?: { readonly isFirstRow?: boolean },
) => Promise<void>;

/** What the console of the bench has. */
export interface Seeded {
  readonly deployment: string;
  readonly volume: string;
  readonly objects: number;
}

const FIRST_ROW = { isFirstRow: true };

/** Goes through the pages of the console that hold much. */
export async function walkConsole(page: Page, measure: Measure, seeded: Seeded): Promise<void> {
  await walkDeployments(page, measure);
  await walkVolume(page, measure, seeded);
  await walkLogs(page, measure, seeded);
  await walkSql(page, measure);
  await walkAudit(page, measure);
}

async function walkDeployments(page: Page, measure: Measure): Promise<void> {
  const rows = page.getByRole('row');
  for (const round of ['cold', 'warm']) {
    await measure(
      `deployments, ${round}`,
      async () => {
        await page.goto('/deployments');
        await rows.nth(1).waitFor();
      },
      FIRST_ROW,
    );
  }
  await measure('deployments: type in the filter', async () => {
    await page.getByRole('searchbox').pressSequentially('service-00077');
    await rows.filter({ hasText: 'service-00077' }).first().waitFor();
    await page.getByRole('searchbox').fill('');
    await rows.nth(5).waitFor();
  });
  await measure('deployments: scroll 30 screens', () => scrollSteps(page, 30));
  await measure('search: open and type', async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.locator('[data-palette]').getByRole('combobox').waitFor();
    await page.keyboard.type('service-00077');
    await page
      .getByRole('option', { name: /service-00077/ })
      .first()
      .waitFor();
  });
  await measure('deployment: open', async () => {
    await page.keyboard.press('Enter');
    await page.getByRole('tablist').waitFor();
  });
  await measure('deployment: all tabs', async () => {
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      await page.getByRole('tabpanel').first().waitFor();
    }
  });
}

async function walkVolume(page: Page, measure: Measure, { volume, objects }: Seeded): Promise<void> {
  const rows = page.getByRole('row');
  const name = objects > 777 ? 'object-0000777' : 'object-0000007';
  const open = async () => {
    await page.goto(`/volumes/${volume}`);
    await rows.nth(1).waitFor();
  };
  await measure('volume', open, FIRST_ROW);
  const openFolder = async () => {
    await page.getByRole('link', { name: 'part-000' }).click();
    await rows.filter({ hasText: 'object-0000000' }).waitFor();
  };
  await measure('volume: open a folder of 10,000', openFolder, FIRST_ROW);
  await measure('volume: type in the filter', async () => {
    await page.getByRole('searchbox').pressSequentially(name);
    await rows.filter({ hasText: name }).waitFor();
    await page.getByRole('searchbox').fill('');
    await rows.filter({ hasText: 'object-0000000' }).waitFor();
  });
  await measure('volume: scroll 30 screens', () => scrollSteps(page, 30));
}

async function walkLogs(page: Page, measure: Measure, { deployment }: Seeded): Promise<void> {
  const entries = page.locator('button[aria-expanded]:has(time)');
  const open = async () => {
    await page.goto(`/logs?deployment=${deployment}&range=6h`);
    await entries.first().waitFor();
  };
  for (const round of ['cold', 'warm']) {
    await measure(`logs, ${round}`, open, FIRST_ROW);
    await measure(`logs: histogram, ${round}`, () => page.locator('svg rect.fill-bad').first().waitFor());
  }
  await measure('logs: expand and collapse entries', async () => {
    for (const index of [0, 3, 6, 9]) await entries.nth(index).click();
    for (const index of [9, 6, 3, 0]) await entries.nth(index).click();
  });
  await measure('logs: open the fields', async () => {
    await page.getByRole('button', { name: 'Fields', exact: true }).click();
    await page.getByRole('complementary', { name: 'Fields' }).getByText('jsonPayload.user_id').waitFor();
  });
  await measure('logs: type a filter and apply it', async () => {
    const filter = page.getByLabel('Filter', { exact: true });
    await filter.pressSequentially('jsonPayload.user_id="u-77"');
    await filter.press('Enter');
    await page.waitForFunction(() => new URL(location.href).searchParams.has('filter'));
    await entries.first().waitFor();
  });
  await open();
  await measure('logs: scroll 10 pages', () => scrollPages(page, 10));
}

async function walkSql(page: Page, measure: Measure): Promise<void> {
  const editor = page.getByLabel('Query', { exact: true });
  await measure('SQL: open the editor', async () => {
    await page.goto('/sql');
    await editor.waitFor();
  });
  await measure('SQL: type a query and run it', async () => {
    await editor.pressSequentially('SELECT severity, COUNT(*) AS n FROM logs GROUP BY severity');
    await editor.press('ControlOrMeta+Enter');
    // An alert may still be about the half-written query.
    await page.getByRole('table').first().waitFor();
  });
}

async function walkAudit(page: Page, measure: Measure): Promise<void> {
  const open = async (address: string) => {
    await page.goto(address);
    await page.locator('button[aria-expanded] time').first().waitFor();
  };
  await measure('audit log', () => open('/audit'), FIRST_ROW);
  await measure('audit log: scroll 10 pages', () => scrollPages(page, 10));
  await measure('audit log: one target of 997', () => open('/audit?target=service-996&action=key.create'), FIRST_ROW);
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

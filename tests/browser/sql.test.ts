import { text } from 'node:stream/consumers';
import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { nodeProject } from '../harness/project-files.ts';
import { deployService } from './harness/deploy-service.ts';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const NAME = 'asked-in-sql';
const SERVICE = `
  import { createServer } from 'node:http';
  for (let n = 0; n < 20; n++) console.log((n % 4 === 0 ? 'ERROR ' : '') + 'line ' + n);
  createServer((_, response) => response.end('ok')).listen(process.env.PORT);
`;

const WORDS = {
  en: {
    query: 'Query',
    plot: 'Chart',
    csv: 'Download CSV',
    save: 'Save',
    name: 'Name',
    tables: 'Tables',
    history: 'History',
    format: 'Format',
    instead: 'Did you mean:',
    row: 'Row 1 of 2',
  },
  ar: {
    query: 'الاستعلام',
    plot: 'رسم بياني',
    csv: 'تنزيل CSV',
    save: 'حفظ',
    name: 'الاسم',
    tables: 'الجداول',
    history: 'سجل الاستعلامات',
    format: 'تنسيق',
    instead: 'هل تقصد:',
    row: 'الصف 1 من 2',
  },
} as const;

const COUNTS = `SELECT severity, COUNT(*) AS n FROM logs WHERE log_name = 'stdout' AND resource.labels.service_name = '${NAME}' GROUP BY severity ORDER BY n`;

/** Returns what is written in the editor. */
const readText = (editor: Locator) =>
  editor.evaluate((content) => [...content.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));

/** Replaces what is in the editor, as pasting over it does. */
async function write(editor: Locator, text: string): Promise<void> {
  await editor.press('ControlOrMeta+a');
  await editor.page().keyboard.insertText(text);
}

/** On a machine that does much else. */
const LONG = { timeout: 180_000 };

beforeAll(() => deployService(NAME, nodeProject(SERVICE)));

describe.each(SETTINGS)('SQL, $name', (setting) => {
  it('is completed, run, plotted, saved and downloaded', LONG, async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const words = WORDS[setting.language];
    const query = page.getByLabel(words.query, { exact: true });
    const table = page.getByRole('table');
    await page.goto('/sql');
    await query.waitFor();
    await visit.check('sql-empty');

    await query.pressSequentially('SELECT sever');
    await page.getByRole('option', { name: 'severity' }).waitFor();
    await visit.check('sql-completion');
    await query.press('Tab');
    await expect.poll(() => readText(query)).toBe('SELECT severity');
    // Keywords have their color, and without completions Tab leaves the editor.
    await query.getByText('SELECT', { exact: true }).and(page.locator('span[class]')).waitFor();
    await query.press('Tab');
    await expect.poll(() => query.evaluate((content) => content.matches(':focus'))).toBe(false);

    await write(query, 'SELECT *\nFRM ');
    // `g s` and `g d` are shortcuts elsewhere on the page.
    await query.pressSequentially('logs');
    await expect.poll(() => readText(query)).toBe('SELECT *\nFRM logs');
    await query.press('ControlOrMeta+Enter');
    await page.getByRole('alert').filter({ hasText: 'syntax error' }).waitFor({ timeout: 60_000 });
    await query.locator('.cm-problem').waitFor();
    await visit.check('sql-problem');

    await write(query, COUNTS);
    await query.press('ControlOrMeta+Enter');
    await table.getByText('ERROR', { exact: true }).waitFor();
    await visit.check('sql-table');
    await table.press('Enter');
    await page.getByRole('dialog', { name: words.row }).waitFor();
    await visit.check('sql-row');
    await page.keyboard.press('Escape');

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: words.csv }).click();
    expect(await text(await (await download).createReadStream())).toBe('severity,n\nERROR,5\nINFO,15\n');
    await page.getByRole('tab', { name: words.plot }).click();
    await page.locator('figure rect').first().waitFor();
    await visit.check('sql-plot');

    await page.getByRole('button', { name: words.save, exact: true }).click();
    await page.getByLabel(words.name, { exact: true }).fill('By severity');
    await visit.check('sql-save');
    await page.getByRole('dialog').getByRole('button', { name: words.save, exact: true }).click();
    // A link holds the query; what was saved is there after a reload.
    await page.reload();
    await expect.poll(() => readText(query)).toBe(COUNTS);
    await page.getByRole('button', { name: 'By severity', exact: true }).click();
    await table.getByText('ERROR', { exact: true }).waitFor();
  });

  it('is written with the table of columns, by what the engine offers, laid out, and found again', LONG, async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const words = WORDS[setting.language];
    const query = page.getByLabel(words.query, { exact: true });
    await page.goto('/sql');
    // A column by pressing it, where the table of them is open at first only on wide windows.
    await write(query, 'SELECT');
    const tables = page.getByRole('complementary', { name: words.tables });
    if (setting.width < 500) await page.getByRole('button', { name: words.tables }).click();
    await tables.getByRole('button', { name: 'log_name', exact: false }).click();
    await expect.poll(() => readText(query)).toBe('SELECT log_name');
    await visit.check('sql-tables');
    if (setting.width < 500) await page.getByRole('button', { name: words.tables }).click();

    await write(query, 'SELECT severty FROM logs');
    await query.press('ControlOrMeta+Enter');
    // The first query of the account: its engine starts.
    await page.getByText(words.instead).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'severity', exact: true }).click();
    await expect.poll(() => readText(query)).toBe('SELECT severity FROM logs');
    await page.getByRole('button', { name: words.format, exact: true }).click();
    await expect.poll(() => readText(query)).toContain('\nFROM\n  logs');
    await page.getByRole('button', { name: words.history }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^SELECT severity FROM logs/ })
      .click();
    await expect.poll(() => readText(query)).toBe('SELECT severity FROM logs');
  });
});

it('answers of 100,000 rows are scrolled through, and a query under way is canceled', async () => {
  await using visit = await openVisit({ theme: 'dark' });
  const { page } = visit;
  await page.goto('/sql');
  const query = page.getByLabel('Query', { exact: true });
  await write(query, "SELECT i, 'row ' || i AS name, random() AS share FROM range(100000) AS numbers(i) ORDER BY i");
  await query.press('ControlOrMeta+Enter');
  const table = page.getByRole('table');
  await table.getByText('row 7', { exact: true }).waitFor({ timeout: 60_000 });
  await table.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await table.getByText('row 99999', { exact: true }).waitFor();
  await expect.poll(() => table.getByRole('row').count()).toBeLessThan(100);
  await visit.check('sql-many');

  await write(query, 'SELECT COUNT(*) FROM range(10000000000) AS a(i), range(1000) AS b(j) WHERE hash(i, j) = 1');
  await query.press('ControlOrMeta+Enter');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByText('Query canceled').waitFor();
});

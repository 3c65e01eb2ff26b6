import { beforeAll, describe, expect, inject, it } from 'vitest';
import { nodeProject } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { deployService } from './harness/deploy-service.ts';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const NAME = 'a-chatty-service-with-quite-a-long-name';
const SERVICE = `
  import { createServer } from 'node:http';
  for (let n = 1; n <= 300; n++) {
    if (n % 3 === 0) console.log(JSON.stringify({ severity: 'INFO', message: 'order ' + n + ' placed', user: { id: 'u-' + (n % 7) } }));
    else if (n % 10 === 1) console.log('ERROR payment of order ' + n + ' was refused by the bank, which gave no reason and cannot be asked');
    else console.log('worker took ' + n + ' ms');
  }
  let ticks = 0;
  setInterval(() => console.log('tick ' + ++ticks), 500);
  createServer((_, response) => response.end('ok')).listen(process.env.PORT);
`;

const WORDS = {
  en: {
    deployment: 'Deployment',
    filter: 'Filter',
    live: 'Live',
    entries: 'Entries, newest first',
    fields: 'Fields',
    time: 'Time range',
    from: 'From',
    apply: 'Apply',
    unread: 'Not a valid time',
    over: 'Entries over time',
    around: 'Show in context',
    look: 'Display options',
    wrap: 'Wrap lines',
  },
  ar: {
    deployment: 'الخدمة',
    filter: 'عامل التصفية',
    live: 'مباشر',
    entries: 'السجلات، الأحدث أولًا',
    fields: 'الحقول',
    time: 'النطاق الزمني',
    from: 'من',
    apply: 'تطبيق',
    unread: 'وقت غير صالح',
    over: 'السجلات عبر الزمن',
    around: 'عرض في السياق',
    look: 'خيارات العرض',
    wrap: 'التفاف الأسطر',
  },
} as const;

/** On a machine that does much else. */
const LONG = { timeout: 180_000 };

beforeAll(() => deployService(NAME, nodeProject(SERVICE)));

describe.each(SETTINGS)('logs, $name', (setting) => {
  it('are filtered, expanded, followed, and a link leads to the same view', LONG, async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const words = WORDS[setting.language];
    const lines = page.getByLabel(words.entries).locator('button[aria-expanded]');
    const filter = page.getByLabel(words.filter, { exact: true });
    await page.goto('/logs');
    const picker = page.getByRole('combobox', { name: words.deployment });
    await picker.fill(NAME.slice(2, 9));
    await page.getByRole('option', { name: NAME }).click();
    await lines.nth(5).waitFor();
    await page.locator('svg rect.fill-bad').first().waitFor();
    await visit.check('logs');

    await filter.pressSequentially('sever');
    await page.getByRole('option', { name: /^severity/ }).waitFor();
    await filter.press('Tab');
    await filter.pressSequentially('>=ERR');
    await page.getByRole('option', { name: /^ERROR/ }).waitFor();
    await visit.check('logs-completion');
    await filter.press('ArrowDown');
    await filter.press('Enter');
    await expect.poll(() => filter.inputValue()).toBe('severity>=ERROR');
    await filter.press('Enter');
    await lines.filter({ hasText: 'order 1 was refused' }).waitFor();
    await expect.poll(() => lines.filter({ hasText: /worker|tick/ }).count()).toBe(0);

    await filter.fill('severity>=');
    await filter.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'expected a value after >=' }).waitFor();
    await visit.check('logs-problem');

    await filter.fill('jsonPayload.user.id="u-3"');
    await filter.press('Enter');
    const order = lines.filter({ hasText: 'order 300 placed' });
    await lines.filter({ hasText: 'order 3 placed' }).waitFor();
    await expect.poll(() => order.count()).toBe(0);
    await lines.filter({ hasText: 'order 3 placed' }).click();
    await page.getByText('u-3', { exact: true }).waitFor();
    await page.getByText('resource', { exact: true }).waitFor();
    await visit.check('logs-entry');
    await page.reload();
    await page.getByText('u-3', { exact: true }).waitFor();
    await expect.poll(() => filter.inputValue()).toBe('jsonPayload.user.id="u-3"');
    const narrow = page.getByRole('button', { name: /: jsonPayload\.message$/ }).first();
    await narrow.click();
    await expect
      .poll(() => filter.inputValue())
      .toBe('jsonPayload.user.id="u-3" AND jsonPayload.message="order 3 placed"');

    await filter.fill('');
    await filter.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.has('filter')).toBe(false);
    // On a slow machine it has slept meanwhile.
    const { port } = new URL(inject('platform').url);
    expect((await request({ port: Number(port) }, NAME)).status).toBe(200);
    await page.getByRole('switch', { name: words.live }).click();
    const tick = async () => Number(/tick (\d+)/.exec((await lines.first().textContent()) ?? '')?.[1] ?? 0);
    await expect.poll(tick, { timeout: 20_000 }).toBeGreaterThan(0);
    const seen = await tick();
    await expect.poll(tick, { timeout: 20_000 }).toBeGreaterThan(seen);
    expect(new URL(page.url()).searchParams.get('live')).not.toBeNull();
    await visit.check('logs-live');
  });

  it('are looked through by fields, around an entry, and at exact times', LONG, async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const words = WORDS[setting.language];
    const lines = page.getByLabel(words.entries).locator('button[aria-expanded]');
    const filter = page.getByLabel(words.filter, { exact: true });
    await page.goto(`/logs?deployment=${NAME}`);
    await lines.nth(5).waitFor();
    // What can be filtered by, and a press that does.
    await page.getByRole('button', { name: words.fields, exact: true }).click();
    const fields = page.getByRole('complementary', { name: words.fields });
    await fields.getByText('jsonPayload.user.id').click();
    await fields.getByRole('button', { name: /^u-3/ }).waitFor();
    await visit.check('logs-fields');
    await fields.getByRole('button', { name: /^u-3/ }).click();
    await expect.poll(() => filter.inputValue()).toBe('jsonPayload.user.id="u-3"');
    await lines.filter({ hasText: 'order 3 placed' }).click();
    // An entry among those that fit, then among all.
    await page.getByRole('button', { name: words.around }).click();
    await expect.poll(() => filter.inputValue()).toBe('');
    await lines.filter({ hasText: 'worker took 2 ms' }).waitFor();
    await page.getByRole('button', { name: words.fields, exact: true }).click();

    await page.getByRole('button', { name: new RegExp(`^${words.time}: `) }).click();
    const from = page.getByLabel(words.from, { exact: true });
    await from.fill('sometime');
    await page.getByRole('button', { name: words.apply }).click();
    await page.getByRole('alert').filter({ hasText: words.unread }).waitFor();
    await visit.check('logs-range');
    await from.fill('now-45m');
    await from.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).not.toBeNull();
    const spanMs = () => {
      const { searchParams } = new URL(page.url());
      return Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '');
    };
    expect(spanMs()).toBe(2_700_000);
    // All but the first steps of the histogram, by keyboard alone.
    await page.locator('svg rect.fill-bad').first().waitFor();
    await page.getByRole('group', { name: words.over }).focus();
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Shift+End']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await expect.poll(spanMs).toBeLessThan(2_700_000);
    await lines.nth(5).waitFor();
    await page.getByRole('button', { name: words.look }).click();
    await page.getByRole('menuitem', { name: words.wrap }).click();
    await expect.poll(() => lines.first().locator('span.whitespace-pre-wrap').count()).toBe(1);
  });
});

it('a filter that nothing fits says what to do next', async () => {
  await using visit = await openVisit({ theme: 'dark' });
  await visit.page.goto(`/logs?deployment=${NAME}&filter=nothing-has-this`);
  await visit.page.getByRole('heading', { name: 'No entries' }).waitFor();
  await visit.check('logs-empty');
});

it('older entries come as one scrolls, to the first of all', async () => {
  await using visit = await openVisit({ theme: 'dark' });
  const { page } = visit;
  await page.goto(`/logs?deployment=${NAME}&range=24h`);
  await page
    .getByText(/tick \d+/)
    .first()
    .waitFor();
  const isThere = () => page.getByText('worker took 2 ms', { exact: true }).count();
  await expect
    .poll(
      async () => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        return isThere();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  await visit.check('logs-oldest');
});

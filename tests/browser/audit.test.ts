import { text } from 'node:stream/consumers';
import { describe, expect, inject, it } from 'vitest';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const WORDS = {
  en: {
    action: 'Action',
    list: 'Changes, newest first',
    only: 'Only this target',
    csv: 'Download CSV',
    none: 'No matching entries',
    refused: 'Passkey refused: may be cloned',
  },
  ar: {
    action: 'الإجراء',
    list: 'التغييرات، الأحدث أولًا',
    only: 'هذا الهدف فقط',
    csv: 'تنزيل CSV',
    none: 'لا إدخالات مطابقة',
    refused: 'رفض مفتاح مرور قد يكون مستنسخًا',
  },
} as const;

describe.each(SETTINGS)('audit log, $name', (setting) => {
  it('is narrowed, a line opened, and taken as a file', async () => {
    const { url, key } = inject('platform');
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const name = `audited-${setting.language}-with-a-name-that-is-rather-long`;
    const made = await fetch(`${url}/v1/user/keys`, { method: 'POST', headers, body: JSON.stringify({ name }) });
    expect(made.status).toBe(200);
    const { id } = (await made.json()) as { id: string };
    await using visit = await openVisit(setting);
    const { page } = visit;
    const words = WORDS[setting.language];
    const lines = page.getByLabel(words.list).locator('button[aria-expanded]');
    await page.goto('/audit');
    const line = lines.filter({ hasText: name });
    await line.click();
    await page.getByRole('button', { name: id }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
    await visit.check('audit-line');
    await page.getByRole('button', { name: words.only }).click();
    await expect.poll(() => lines.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('target')).toBe(id);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: words.csv }).click();
    const csv = await text(await (await download).createReadStream());
    expect(csv.split('\n')).toEqual([expect.stringMatching(/^time,action,target/), expect.stringContaining(id), '']);
    await page.getByRole('combobox', { name: words.action }).click();
    await page.getByRole('option', { name: words.refused }).click();
    await page.getByRole('heading', { name: words.none }).waitFor();
    await visit.check('audit-none');
  });
});

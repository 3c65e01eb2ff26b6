import { describe, expect, inject, it } from 'vitest';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const WORDS = {
  en: { create: 'Create key', name: 'Name', done: 'I have copied it', revoke: 'Revoke' },
  ar: { create: 'إنشاء مفتاح', name: 'الاسم', done: 'لقد نسخته', revoke: 'إبطال' },
} as const;

describe.each(SETTINGS)('keys, $name', (setting) => {
  it('are made, shown once, listed and revoked', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const words = WORDS[setting.language];
    const keyName = `${setting.name.replace(' ', '-')}-a-key-with-a-name-that-is-rather-long`;
    await page.goto('/keys');
    await page.getByRole('row').nth(1).waitFor();
    await visit.check('keys');

    await page.getByRole('button', { name: words.create }).click();
    await page.getByLabel(words.name, { exact: true }).fill(keyName);
    await visit.check('keys-create');
    await page.getByRole('dialog').getByRole('button', { name: words.create }).click();
    const secret = await page
      .getByText(/^berth_[\w-]{43}$/)
      .textContent()
      .then(String);
    await visit.check('keys-created');
    const ask = (key: string) => fetch(`${inject('platform').url}/v1/user`, { headers: { 'X-API-Key': key } });
    expect((await (await ask(secret)).json()) as object).toMatchObject({ key: { name: keyName }, scopes: ['read'] });
    await page.getByRole('button', { name: words.done }).click();
    await page.getByText(secret).waitFor({ state: 'detached' });

    const row = page.getByRole('row').filter({ hasText: keyName });
    await row.getByRole('button', { name: words.revoke }).click();
    await visit.check('keys-revoke');
    await page.getByRole('alertdialog').getByRole('button', { name: words.revoke }).click();
    await expect.poll(async () => (await ask(secret)).status).toBe(401);
    await row.waitFor({ state: 'detached' });
  });
});

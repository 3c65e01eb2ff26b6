import { describe, it } from 'vitest';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const WORDS = {
  en: {
    ...{ create: 'Create alert', condition: 'Condition', failed: 'Failed deploy', webhook: 'Webhook URL' },
    ...{ name: 'Name', done: 'I have copied it', test: 'Send test', disable: 'Disable', enable: 'Enable' },
    remove: 'Remove',
  },
  ar: {
    ...{ create: 'إنشاء تنبيه', condition: 'الشرط', failed: 'فشل النشر', webhook: 'عنوان خطاف الويب' },
    ...{ name: 'الاسم', done: 'لقد نسخته', test: 'إرسال تجربة', disable: 'تعطيل', enable: 'تفعيل' },
    remove: 'إزالة',
  },
} as const;

describe.each(SETTINGS)('alerts, $name', (setting) => {
  it('are created with the secret of their webhook, tested, disabled and removed', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const words = WORDS[setting.language];
    const title = `${setting.name.replace(' ', '-')}: a deploy of the shop failed`;
    await page.goto('/alerts');
    await page.getByRole('button', { name: words.create }).first().click();
    await page.getByLabel(words.condition, { exact: true }).click();
    await page.getByRole('option', { name: words.failed }).click();
    // Never reached: the domain is reserved for examples.
    await page.getByLabel(words.webhook).fill('https://hooks.berth.invalid/alerts');
    await page.getByLabel(words.name, { exact: true }).fill(title);
    await visit.check('alerts-create');
    await page.getByRole('dialog').getByRole('button', { name: words.create }).click();
    await page.getByText(/^whsec_/).waitFor();
    await visit.check('alerts-created');
    await page.getByRole('button', { name: words.done }).click();

    const row = page.getByRole('row').filter({ hasText: title });
    await row.first().waitFor();
    const act = (name: string) => row.first().getByRole('button', { name }).click();
    await act(words.test);
    await page.getByRole('row').filter({ hasText: 'This is a test.' }).first().waitFor();
    await act(words.disable);
    await visit.check('alerts');
    await act(words.enable);
    await act(words.remove);
    await page.getByRole('alertdialog').getByRole('button', { name: words.remove }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  });
});

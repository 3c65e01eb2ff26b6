import { describe, expect, inject, it } from 'vitest';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const WORDS = {
  en: { name: 'Name', value: 'Value', save: 'Save variables', remove: 'Remove' },
  ar: { name: 'الاسم', value: 'القيمة', save: 'حفظ المتغيرات', remove: 'إزالة' },
} as const;

describe.each(SETTINGS)('shared variables, $name', (setting) => {
  it('are set as secrets and as plain ones, listed and removed', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const words = WORDS[setting.language];
    const suffix = setting.language.toUpperCase();
    await page.goto('/variables');
    const fill = async (key: string, value: string) => {
      const line = page
        .getByRole('group')
        .filter({ has: page.getByLabel(words.name, { exact: true }) })
        .last();
      await line.getByLabel(words.name, { exact: true }).fill(key);
      await line.getByLabel(words.value, { exact: true }).fill(value);
      return line;
    };
    await fill(`TOKEN_${suffix}`, 'never shown again');
    await page.getByRole('button', { name: words.save }).click();
    const secret = page.getByRole('row').filter({ hasText: `TOKEN_${suffix}` });
    await secret.waitFor();
    const line = await fill(`REGION_${suffix}`, 'eu-central');
    // The lock beside the value.
    await line.getByRole('button').first().click();
    await page.getByRole('button', { name: words.save }).click();
    await page
      .getByRole('row')
      .filter({ hasText: `REGION_${suffix}` })
      .filter({ hasText: 'eu-central' })
      .waitFor();
    expect(await page.getByText('never shown again').count()).toBe(0);
    await visit.check('shared-variables');

    await secret.getByRole('button', { name: words.remove }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: words.remove }).click();
    await secret.waitFor({ state: 'detached' });
    const { url, key } = inject('platform');
    const answer = await fetch(`${url}/v1/env/shared`, { headers: { 'X-API-Key': key } });
    expect(await answer.json()).toContainEqual(
      expect.objectContaining({ key: `REGION_${suffix}`, value: 'eu-central' }),
    );
  });
});

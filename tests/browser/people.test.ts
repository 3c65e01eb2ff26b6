import { describe, expect, inject, it } from 'vitest';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const post = (path: string, body: unknown) =>
  fetch(inject('platform').url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': inject('platform').key },
    body: JSON.stringify(body),
  });

describe.each(SETTINGS)('people, $name', (setting) => {
  it('are invited by a link, join with it, and are removed', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const email = `nadia.${setting.name.replace(' ', '.')}@example.org`;
    await page.goto('/people');
    await page.getByRole('row').nth(1).waitFor();
    await page.locator('main h1 ~ button').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=email]').fill(email);
    await visit.check('people-invite');
    await dialog.locator('button[type=submit]').click();
    const link = String(await dialog.locator('code').textContent());
    await visit.check('people-invited');
    await dialog.getByRole('button').last().click();
    await page.getByRole('row').filter({ hasText: email }).waitFor();

    await using guest = await openVisit({ ...setting, isSignedIn: false });
    const path = link.replace(/^https?:\/\/[^/]+/, '');
    await guest.page.goto(path);
    await guest.page.locator('input[name=name]').fill('Nadia Petrova');
    await expect.poll(() => guest.page.locator('input[name=email]').inputValue()).toBe(email);
    await guest.page.locator('input[name=password]').fill('correct horse battery');
    await guest.check('join');
    await guest.page.locator('button[type=submit]').click();
    await guest.page.waitForURL('**/deployments');

    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'Nadia Petrova' }).last();
    await row.waitFor();
    await visit.check('people');
    // Nadia forgot her password: the owner's link sets another one and ends the session she has.
    await row.getByRole('button').nth(1).click();
    await page.getByRole('alertdialog').getByRole('heading').waitFor();
    await visit.check('people-reset');
    await page.getByRole('alertdialog').getByRole('button').last().click();
    const reset = String(await page.getByRole('dialog').locator('code').textContent());
    await page.getByRole('dialog').getByRole('button').last().click();
    await using other = await openVisit({ ...setting, isSignedIn: false });
    await other.page.goto(reset.replace(/^https?:\/\/[^/]+/, ''));
    await other.page.locator('input[name=password]').fill('a battery of another horse');
    await expect.poll(() => other.page.locator('input[name=email]').inputValue()).toBe(email);
    await other.check('reset-password');
    await other.page.locator('button[type=submit]').click();
    await other.page.waitForURL('**/deployments');
    await guest.page.goto('/deployments');
    await guest.page.locator('summary').click();
    await guest.page.getByText(`members reset-password`).waitFor();
    await guest.check('sign-in-forgot');
    await row.getByRole('combobox').click();
    await page.getByRole('option').first().click();
    await page.getByRole('dialog').getByRole('heading').waitFor();
    await visit.check('people-role');
    await page.getByRole('dialog').getByRole('button').last().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row.getByRole('button').last().click();
    await page.getByRole('alertdialog').getByRole('button').last().click();
    await page.getByRole('row').filter({ hasText: 'Nadia Petrova' }).first().waitFor({ state: 'detached' });
  });

  it('see their sessions, and let a device in by its code', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    await page.goto('/sessions');
    await page.getByRole('row').nth(1).waitFor();
    await visit.check('sessions');
    const asked = await post('/v1/auth/device/code', { device_name: 'laptop-of-maryam' });
    const { user_code, device_code } = (await asked.json()) as { user_code: string; device_code: string };
    await page.goto(`/device?code=${user_code}`);
    await page.locator('button[type=submit]').click();
    await page.getByText('laptop-of-maryam').waitFor();
    await visit.check('device');
    await page.locator('section button').first().click();
    await page.getByRole('status').filter({ hasText: /\S/ }).first().waitFor();
    const token = await post('/v1/auth/device/token', { device_code });
    expect([token.status, typeof ((await token.json()) as { token: unknown }).token]).toEqual([200, 'string']);
  });
});

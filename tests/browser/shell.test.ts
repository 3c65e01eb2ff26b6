import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openVisit, SETTINGS } from './harness/open-visit.ts';
import { PERSON } from './harness/person.ts';

/** Returns the typefaces that the page has loaded: from its own origin, since `check` refuses others. */
const loadedFonts = (page: Page) =>
  page.evaluate(() =>
    [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family.replaceAll('"', '')),
  );

describe.each(SETTINGS)('the frame, $name', (setting) => {
  it('is searched and changed with the keyboard alone', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    await page.goto('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await visit.check('deployments');
    await expect.poll(() => loadedFonts(page)).toContain('Geist Variable');
    if (setting.language === 'ar') await expect.poll(() => loadedFonts(page)).toContain('Vazirmatn Variable');
    else expect(await loadedFonts(page)).not.toContain('Vazirmatn Variable');
    // The palette's code is loaded now; letters that come before it are not lost.
    const wanted = setting.language === 'ar' ? 'التدقيق' : 'audit';
    await page.keyboard.press('Control+k');
    await page.keyboard.type(wanted.slice(0, 3));
    await page.getByRole('option').first().waitFor();
    await visit.check('palette');
    await page.keyboard.type(wanted.slice(3));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/audit');
    await page.locator('main button[aria-expanded]:not([aria-haspopup])').first().waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type(setting.language === 'ar' ? 'English' : 'العربية');
    await page.keyboard.press('Enter');
    await page.locator(`html[dir=${setting.language === 'ar' ? 'ltr' : 'rtl'}]`).waitFor();
    await page.reload();
    await page.locator(`html[dir=${setting.language === 'ar' ? 'ltr' : 'rtl'}]`).waitFor();
  });
});

describe('the frame', () => {
  it('is dark for those who have it dark, and remembers a choice', async () => {
    await using visit = await openVisit({ theme: 'dark' });
    const { page } = visit;
    await page.goto('/keys');
    await page.getByRole('row').nth(1).waitFor();
    await visit.check('keys');
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await ground();
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitem', { name: 'Light' }).click();
    await expect.poll(ground).not.toBe(dark);
    const light = await ground();
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(ground).toBe(light);
  });

  it('says so when its scripts do not come', async () => {
    await using visit = await openVisit();
    const { page } = visit;
    await page.route('**/*.js', (route) => route.abort());
    await page.goto('/');
    const note = page.getByText('This page did not load.');
    await note.waitFor({ state: 'attached' });
    expect(await note.isVisible()).toBe(false);
    // Ten seconds on.
    await page.evaluate(() => document.getAnimations().map((one) => one.finish()));
    await note.waitFor();
  });

  it('says that there is no such page, and that the platform is away, and goes on when it is back', async () => {
    await using visit = await openVisit();
    const { page } = visit;
    await page.goto('/no/such/page');
    await page.getByText('Page not found').waitFor();
    await visit.check('missing');
    await page.getByRole('link', { name: 'Go to deployments' }).click();
    await page.getByRole('heading', { name: 'Deployments' }).waitFor();
    await page.context().setOffline(true);
    const note = page.getByText('Can’t reach Berth.');
    await note.waitFor({ timeout: 60_000 });
    await visit.check('offline');
    await page.context().setOffline(false);
    await note.waitFor({ state: 'detached', timeout: 60_000 });
  });

  it('keeps what was typed when the session ends in mid-work, and goes on by itself', async () => {
    await using visit = await openVisit();
    const { page } = visit;
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('typed before the end');
    await page.context().clearCookies();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: 'Your session expired' }).waitFor();
    await visit.check('session-ended');
    await page.getByLabel('E-mail address').fill(PERSON.email);
    await page.getByLabel('Password').fill(PERSON.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Your session expired' }).waitFor({ state: 'detached' });
    // What was refused is done by itself, with what was typed.
    await page.getByRole('heading', { name: 'Copy the key now' }).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row').filter({ hasText: 'typed before the end' }).waitFor();
  });
});

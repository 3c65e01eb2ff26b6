import { describe, expect, it } from 'vitest';
import { ar } from '../../apps/console/src/text/ar/index.ts';
import { startBerth } from '../harness/berth.ts';
import { openVisit, SETTINGS } from './harness/open-visit.ts';
import { PERSON } from './harness/person.ts';

const WORDS = {
  en: { email: 'E-mail address', password: 'Password', submit: 'Sign in', deployments: 'Deployments' },
  ar: { email: 'البريد الإلكتروني', password: 'كلمة المرور', submit: 'تسجيل الدخول', deployments: 'الخدمات' },
} as const;

describe.each(SETTINGS)('signing in, $name', (setting) => {
  it('leads to the page that was asked for, and a wrong password loses nothing', async () => {
    await using visit = await openVisit({ ...setting, isSignedIn: false });
    const { page } = visit;
    const words = WORDS[setting.language];
    await page.goto('/audit');
    await page.getByLabel(words.email).fill(PERSON.email);
    // Tries are bounded, so not in every setting.
    if (setting.language === 'en') {
      await page.getByLabel(words.password).fill('wrong');
      await page.getByRole('button', { name: words.submit, exact: true }).click();
      await page.getByRole('alert').waitFor();
      await expect.poll(() => page.getByLabel(words.email).inputValue()).toBe(PERSON.email);
    }
    await visit.check('sign-in');
    await page.getByLabel(words.password).fill(PERSON.password);
    await page.getByRole('button', { name: words.submit, exact: true }).click();
    await page.locator('main button[aria-expanded]:not([aria-haspopup])').first().waitFor();
    await visit.check('audit');
    expect(new URL(page.url()).pathname).toBe('/audit');
    expect(
      await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie })),
    ).not.toContain('session');
  });
});

describe('the first run', () => {
  it('makes an account in the browser with the link that the server printed, once', async () => {
    await using berth = await startBerth();
    const url = `http://localhost:${berth.port}`;
    const link = /http:\/\/\S+\/first-run#\S+/.exec(berth.output)?.[0] as string;
    await using visit = await openVisit({ url, isSignedIn: false });
    const { page } = visit;
    await page.goto(link);
    await page.getByLabel('Your name').fill('Ann');
    await page.getByLabel('E-mail address').fill('ann@example.org');
    await page.getByLabel('Password').fill(PERSON.password);
    expect(page.url()).toBe(`${url}/first-run`);
    await visit.check('first-run');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Nothing is deployed yet').waitFor();
    await visit.check('deployments-empty');
    await page.reload();
    await page.getByText('Nothing is deployed yet').waitFor();

    await using second = await openVisit({ url, isSignedIn: false, width: 390, height: 844, language: 'ar' });
    await second.page.goto(link);
    await second.page.getByText(ar['firstRun.used.title'] as string).waitFor();
    await second.check('first-run-used');
    expect(await second.page.locator('input').count()).toBe(0);
  });
});

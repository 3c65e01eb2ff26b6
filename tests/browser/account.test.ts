import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const WORDS = {
  en: {
    ...{ passkey: 'Sign in with a passkey', add: 'Add a passkey', signOut: 'Sign out' },
    ...{ unused: 'never used', wrong: 'Wrong password.' },
  },
  ar: {
    ...{ passkey: 'تسجيل الدخول بمفتاح مرور', add: 'إضافة مفتاح مرور', signOut: 'تسجيل الخروج' },
    ...{ unused: 'لم يُستخدم قط', wrong: 'كلمة المرور غير صحيحة.' },
  },
} as const;

const PASSWORD = 'correct horse battery';

/** A person of the operator's account, who exists for one journey. */
async function invite(email: string, name: string): Promise<void> {
  const { url, key } = inject('platform');
  const post = async (path: string, body: unknown) => {
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { link: string };
  };
  const { link } = await post('/v1/user/invites', { role: 'member', email });
  await post('/v1/auth/invites/accept', { token: link.split('#')[1], email, name, password: PASSWORD });
}

/** A fingerprint reader that knows the person, and is touched whenever something is asked of it. */
async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}

/** Makes it a browser that names no passkeys at fields: the button is what there is. */
const withoutAutofill = (page: Page) =>
  page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });

describe.each(SETTINGS)('the own account, $name', (setting) => {
  // A long way on a busy machine.
  it('gets a passkey, which signs in, and another password', { timeout: 180_000 }, async () => {
    const words = WORDS[setting.language];
    const email = `passkey.${setting.language}@example.org`;
    await invite(email, 'Zaynab bint al-Harith');
    await using visit = await openVisit({ ...setting, isSignedIn: false });
    const { page } = visit;
    const hasAutofill = setting.language === 'en';
    if (!hasAutofill) await withoutAutofill(page);
    await addAuthenticator(page);
    const signInAs = async (password: string) => {
      await page.locator('input[name=email]').fill(email);
      await page.locator('input[name=password]').fill(password);
      await page.locator('button[type=submit]').click();
    };
    await page.goto('/account');
    await page.getByRole('button', { name: words.passkey }).waitFor({ timeout: 60_000 });
    await signInAs(PASSWORD);
    await page.getByRole('button', { name: words.add }).waitFor();
    await visit.check('account');

    // In an older session the password is asked for.
    const options = '**/v1/user/passkeys/options';
    const late = { status: 403, json: { detail: 'It is a while since you signed in.' } };
    await page.route(options, (route) =>
      route.request().postData() === '{}' ? route.fulfill(late) : route.continue(),
    );
    await page.getByRole('button', { name: words.add }).click();
    await page.getByRole('dialog').locator('input[name=password]').fill('not my password');
    await page.getByRole('dialog').locator('button[type=submit]').click();
    await page.getByRole('dialog').getByText(words.wrong).waitFor();
    await visit.check('passkey-password');
    expect(await page.getByRole('dialog').locator('input[name=password]').inputValue()).toBe('not my password');
    await page.getByRole('dialog').locator('input[name=password]').fill(PASSWORD);
    await page.getByRole('dialog').locator('button[type=submit]').click();
    const row = page.getByRole('listitem').filter({ has: page.locator('svg') });
    await row.first().waitFor();
    await row.getByRole('button').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input').fill('حاسوب العمل · work laptop');
    await visit.check('passkey-rename');
    await dialog.locator('button[type=submit]').click();
    await page.getByRole('listitem').filter({ hasText: 'work laptop' }).waitFor();

    // A wrong password loses nothing of what was typed.
    await page.locator('input[name=current_password]').fill('not my password');
    await page.locator('input[name=new_password]').fill('another long password');
    const form = page.locator('form').filter({ has: page.locator('input[name=new_password]') });
    await form.locator('button[type=submit]').click();
    await page.getByText(words.wrong).waitFor();
    await visit.check('account-wrong-password');
    expect(await page.locator('input[name=new_password]').inputValue()).toBe('another long password');
    await page.locator('input[name=current_password]').fill(PASSWORD);
    await form.locator('button[type=submit]').click();
    await expect.poll(() => page.locator('input[name=new_password]').inputValue()).toBe('');
    // The session that asked goes on.
    await page.reload();
    await page.getByRole('listitem').filter({ hasText: 'work laptop' }).filter({ hasText: words.unused }).waitFor();

    if (setting.width < 500) await page.locator('header button[aria-expanded]').first().click();
    await page.locator('header button[aria-haspopup=menu]').first().click();
    await page.getByRole('menuitem', { name: words.signOut }).click();
    // One that is offered at the field is picked by the touch.
    if (!hasAutofill) await page.getByRole('button', { name: words.passkey }).click();
    await page.getByRole('listitem').filter({ hasText: 'work laptop', hasNotText: words.unused }).first().waitFor();

    await page.getByRole('listitem').filter({ hasText: 'work laptop' }).getByRole('button').last().click();
    await visit.check('passkey-remove');
    await page.getByRole('alertdialog').getByRole('button').last().click();
    await page.getByRole('listitem').filter({ hasText: 'work laptop' }).waitFor({ state: 'detached' });
  });
});

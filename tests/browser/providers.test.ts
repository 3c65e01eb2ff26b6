import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { ar } from '../../apps/console/src/text/ar/index.ts';
import { en } from '../../apps/console/src/text/en/index.ts';
import { openVisit, SETTINGS, type Setting } from './harness/open-visit.ts';

const TEXTS = { en, ar } as const;
const PROVIDER = 'Acme ID';

/** Types at the provider's page who one is. */
async function signInAtProvider(page: Page, address: string): Promise<void> {
  await page.locator('input[name=address]').fill(address);
  await page.keyboard.press('Enter');
}

async function post(path: string, body: unknown, key = inject('platform').key) {
  const answer = await fetch(inject('platform').url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
  return (await answer.json()) as any;
}

/** What a journey needs of its setting. */
function journey(setting: Setting) {
  const say = (key: keyof (typeof TEXTS)['en'], values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, value),
      String(TEXTS[setting.language][key]),
    );
  const slug = setting.name.replace(' ', '-');
  return {
    ...{ say, slug, continueWith: say('ways.with', { name: PROVIDER }) },
    openMenu: async (page: Page) => {
      if (setting.width < 500) await page.getByRole('button', { name: say('shell.menu'), exact: true }).click();
      await page.getByRole('button', { name: new RegExp(`^${say('shell.account')}`) }).click();
    },
  };
}

describe.each(SETTINGS)('signing in with a provider, $name', (setting) => {
  const { say, slug, continueWith } = journey(setting);

  it('leads back to the page that was asked for, as a member who is offered what members may do', async () => {
    await using visit = await openVisit({ ...setting, isSignedIn: false });
    const { page } = visit;
    await page.goto('/people');
    const link = page.getByRole('link', { name: continueWith });
    await link.waitFor();
    await visit.check('sign-in-provider');

    // Someone whose organization is not let in is told so, and tries again.
    await link.click();
    await signInAtProvider(page, 'mallory@elsewhere.example');
    await page.getByText(say('ways.problem.email_domain')).waitFor();
    await visit.check('sign-in-problem');
    await page.getByRole('link', { name: say('ways.problem.again') }).click();
    await signInAtProvider(page, `noor.${slug}@acme.example`);

    await page.getByText(say('people.rights')).waitFor();
    expect(new URL(page.url()).pathname).toBe('/people');
    await page
      .getByRole('row')
      .filter({ hasText: say('people.you') })
      .waitFor();
    await visit.check('people-member');
    expect(await page.getByRole('button', { name: say('people.invite'), exact: true }).count()).toBe(0);
    expect(await page.getByRole('combobox').count()).toBe(0);
    expect(await page.locator('nav a[href="/keys"]').count()).toBe(0);
    await page.goto('/keys');
    await page.getByRole('heading', { name: say('rights.title') }).waitFor();
    await visit.check('not-allowed');
  });
});

describe('who signed in with a provider', () => {
  it('goes on when the session ended in mid-work, changes the account, and signs out in every tab', async () => {
    const [setting] = SETTINGS as readonly [Setting];
    const { say, continueWith, openMenu } = journey(setting);
    const email = 'layla.haddad@acme.example';
    await using visit = await openVisit({ ...setting, isSignedIn: false, theme: 'dark' });
    const { page } = visit;
    await page.goto('/volumes');
    await page.getByRole('link', { name: continueWith }).click();
    await signInAtProvider(page, email);

    // The session ends in mid-work; the provider's window leaves the page as it is, and what was refused is done.
    await page.getByRole('button', { name: say('volumes.create') }).click();
    await page.getByLabel(say('shell.name')).fill('kept');
    await page.context().clearCookies();
    const create = page.getByRole('dialog').getByRole('button', { name: say('volumes.create') });
    await create.click();
    await page.getByRole('dialog').getByRole('link', { name: continueWith }).waitFor();
    await visit.check('session-ended-provider');
    const opened = page.waitForEvent('popup');
    await page.getByRole('dialog').getByRole('link', { name: continueWith }).click();
    await signInAtProvider(await opened, email);
    await page.getByRole('link', { name: 'kept' }).waitFor();

    // A provider that is the only sign-in method stays.
    await page.goto('/account');
    await page.getByRole('button', { name: say('ways.linked.remove'), exact: true }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: say('ways.linked.remove') })
      .click();
    await page.getByRole('alertdialog').getByText('only sign-in method').waitFor();
    await visit.check('account-provider');

    // A second account, and the way from one to the other.
    const { key } = await post('/v1/admin/accounts', { name: 'atelier' });
    const invite = await post('/v1/user/invites', { role: 'admin' }, key.secret);
    await page.goto(String(invite.link).replace(/^https?:\/\/[^/]+/, ''));
    await page.locator('button[type=submit]').click();
    await page.waitForURL('**/deployments');
    await openMenu(page);
    await page.getByRole('menuitem', { name: 'atelier' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await visit.check('accounts');
    await page.goto('/keys');
    await page.getByRole('row').filter({ hasText: 'first key' }).waitFor();
    await openMenu(page);
    await page.getByRole('menuitem', { name: 'operator' }).click();
    await page.getByRole('heading', { name: say('rights.title') }).waitFor();

    // Who signs out is signed out in every tab.
    const other = await page.context().newPage();
    await other.goto('/volumes');
    await other.getByRole('link', { name: 'kept' }).waitFor();
    await openMenu(page);
    await page.getByRole('menuitem', { name: say('shell.signOut') }).click();
    await page.getByRole('link', { name: continueWith }).waitFor();
    await other.getByRole('link', { name: continueWith }).waitFor();
    expect(visit.problems).toEqual([]);
  });
});

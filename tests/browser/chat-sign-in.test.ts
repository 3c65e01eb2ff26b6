import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { oidc } from '../../packages/agent/src/auth/oidc.ts';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { createDemoHandler, type DemoHandler } from './harness/demo-handler.ts';
import { onChatPage, openChatVisit } from './harness/open-chat-visit.ts';
import { type CutLine, openProxy } from './harness/open-proxy.ts';
import { SETTINGS, type Setting } from './harness/open-visit.ts';
import { createSignInProvider, type SignInProvider } from './harness/sign-in-provider.ts';

/** Signing in, staying so, and signing out: by an identity provider, by a token, and where no one has to. */

const demo: DemoHandler = createDemoHandler('http://localhost');
let provider: SignInProvider;
let agent: TestAgent;
let proxy: CutLine;

beforeAll(async () => {
  provider = await createSignInProvider();
  const auth = oidc({ issuer: provider.issuer, audience: 'web', clientId: 'web' });
  agent = await openTestAgent({ title: 'Signed', handler: demo.handler, auth });
  proxy = await openProxy(agent.url);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await agent?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});
afterEach(() => {
  Object.assign(provider, { sub: 'dora', expiresInSeconds: 300, isOver: false, isDenied: false });
  demo.close();
});

/** At the agent, and through the provider to the chat. */
async function visit(sub: string, address = '/', setting: Partial<Setting> = {}) {
  provider.sub = sub;
  const opened = await openChatVisit(proxy.url, setting);
  await opened.page.goto(address);
  await opened.page.getByRole('button', { name: opened.words.signIn }).click();
  await opened.field.waitFor();
  return opened;
}

const FILE = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') };
const ended = (page: Page, name: string) => page.getByRole('dialog', { name });

describe('by a provider', () => {
  it('goes by the code flow with PKCE, renews tokens before they end, and comes back to where it was', async () => {
    provider.expiresInSeconds = 10;
    await using opened = await visit('dora', '/?id=some-chat');
    const { page } = opened;
    // Once, then not again: a page that is left in the middle of a renewal has lost what it brings.
    provider.expiresInSeconds = 300;
    expect(new URL(page.url()).search).toBe('?id=some-chat');
    await opened.say('hello');
    await page.getByText('You said hello.').waitFor();
    expect(provider.grants[0]).toBe('authorization_code');
    expect(provider.grants).toContain('refresh_token');
    await opened.idle();
    await page.reload();
    await page.getByText('You said hello.').waitFor();
    // An answer to a sign-in that was not begun here is not taken.
    await page.evaluate(() => sessionStorage.clear());
    await page.goto('/?code=x&state=y');
    await page.getByText('This sign-in was not started in this browser').waitFor();
    expect(opened.problems).toEqual([]);
  });

  // Fails when the page's policy lets it call the issuer only.
  it('redeems its code at a token endpoint on another origin', async () => {
    await using apart = await createSignInProvider({ hasTokenHost: true });
    const auth = oidc({ issuer: apart.issuer, audience: 'web', clientId: 'web' });
    await using signing = await openTestAgent({ handler: demo.handler, auth });
    await using opened = await openChatVisit(signing.url);
    await opened.page.goto('/');
    await opened.page.getByRole('button', { name: opened.words.signIn }).click();
    await opened.say('hello');
    await opened.page.getByText('You said hello.').waitFor();
    expect(apart.grants).toEqual(['authorization_code']);
    expect(opened.problems).toEqual([]);
  });

  it('says that it was not completed, and can be tried again', async () => {
    provider.isDenied = true;
    await using opened = await openChatVisit(proxy.url);
    const { page } = opened;
    await page.goto('/');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The sign-in was not completed').waitFor();
    await opened.check('chat-sign-in-denied');
    provider.isDenied = false;
    await page.getByRole('button', { name: 'Sign in' }).click();
    await opened.field.waitFor();
  });

  it('is one for all tabs: a new one is signed in, they renew once, and they sign out together', async () => {
    provider.expiresInSeconds = 10;
    await using opened = await visit('tabea');
    const { page } = opened;
    const second = await page.context().newPage();
    await second.goto('/');
    const other = onChatPage(second, opened.words);
    await other.field.waitFor();
    await Promise.all([opened.say('one'), other.say('other')]);
    await page.getByText('You said one.').waitFor();
    await second.getByText('You said other.').waitFor();
    expect(provider.reused).toEqual([]);
    await opened.idle();
    await other.idle();
    await other.field.fill('a secret thought');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const tab of [page, second]) await tab.getByRole('button', { name: 'Sign in' }).waitFor();
    const [signOut] = provider.signOuts.slice(-1);
    expect(signOut?.get('post_logout_redirect_uri')).toBe(`${proxy.url}/`);
    expect(signOut?.get('id_token_hint')).toMatch(/^ey/);
    expect(await second.evaluate(() => JSON.stringify(sessionStorage))).toBe('{}');
    // Signed in again in one of them, the other is, too.
    await page.getByRole('button', { name: 'Sign in' }).click();
    await opened.field.waitFor();
    await other.field.waitFor();
  });

  it.each(SETTINGS)('ends in the middle of an answer and of a message, and nothing is lost, $name', async (setting) => {
    provider.expiresInSeconds = 10;
    await using opened = await visit(`mid-${setting.language}`, '/', setting);
    const { page, words } = opened;
    await opened.say('slow');
    await page.getByText('The beginning,').waitFor();
    await page.locator('input[type=file]').first().setInputFiles(FILE);
    await page.getByText(FILE.name).first().waitFor();
    await opened.field.fill('a long thought');
    provider.isOver = true;
    proxy.cut();
    await ended(page, words.ended).waitFor();
    await opened.check('chat-signed-out-midway');
    provider.isOver = false;
    const popup = page.waitForEvent('popup');
    await ended(page, words.ended).getByRole('button', { name: words.signIn }).click();
    await (await popup).waitForEvent('close');
    await ended(page, words.ended).waitFor({ state: 'detached' });
    demo.open();
    await page.getByText('The beginning, the end.', { exact: true }).waitFor();
    await opened.idle();
    expect(await opened.field.inputValue()).toBe('a long thought');
    await opened.field.press('Enter');
    await page.getByText('You said a long thought.').waitFor();
    await page.getByRole('link', { name: FILE.name }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('where no window opens, goes by the provider’s page and comes back with the message and its file', async () => {
    await using opened = await visit('wanda');
    const { page } = opened;
    await opened.say('hello');
    await page.getByText('You said hello.').waitFor();
    await opened.idle();
    await page.locator('input[type=file]').first().setInputFiles(FILE);
    await page.getByRole('button', { name: `Remove ${FILE.name}` }).waitFor();
    await page.evaluate(() => {
      window.open = () => null;
    });
    // Nothing else is refused: the message is what finds out.
    await page.route('**/chat?id=*', (route) => route.fulfill({ status: 401, json: { detail: 'It has expired.' } }));
    provider.isOver = true;
    await opened.say('a long thought');
    await ended(page, 'Your session has expired').waitFor();
    provider.isOver = false;
    await page.unroute('**/chat?id=*');
    await ended(page, 'Your session has expired').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Not sent').waitFor();
    await opened.check('chat-unsent');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('You said a long thought.').waitFor();
    await page.getByRole('link', { name: FILE.name }).waitFor();
    await expect.poll(() => opened.answers.count()).toBe(2);
  });

  it('shows another person nothing of the one before', async () => {
    provider.expiresInSeconds = 10;
    await using opened = await visit('first');
    const { page } = opened;
    await opened.say('hello');
    await page.getByText('You said hello.').waitFor();
    await opened.idle();
    await opened.field.fill('for my eyes only');
    Object.assign(provider, { isOver: true, sub: 'second' });
    // What a person sees when they come back to the window.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await ended(page, 'Your session has expired').waitFor();
    provider.isOver = false;
    await ended(page, 'Your session has expired').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('You said hello.').waitFor({ state: 'detached' });
    await opened.field.waitFor();
    await expect.poll(() => opened.field.inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('for my eyes');
  });
});

describe('by a token', () => {
  it('is asked for again when it is refused, and the message goes on its way by itself', async () => {
    await using given = await openTestAgent({ handler: demo.handler });
    await using opened = await openChatVisit(given.url);
    const { page } = opened;
    await opened.signIn();
    const second = await page.context().newPage();
    await second.goto('/');
    await onChatPage(second, opened.words).field.waitFor();
    await second.close();
    await page.route('**/chat?id=*', (route) => route.fulfill({ status: 401, json: { detail: 'It has expired.' } }));
    await opened.say('a long thought');
    await ended(page, 'Your session has expired').waitFor();
    await opened.check('chat-signed-out');
    await page.unroute('**/chat?id=*');
    await ended(page, 'Your session has expired').getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel(opened.words.token).fill(opened.person);
    await ended(page, 'Sign in').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('You said a long thought.').waitFor();
    expect(opened.problems).toEqual([]);
  });
});

describe('where nobody signs in', () => {
  it('keeps a chat for the tab, through a reload in the middle of an answer', async () => {
    await using open = await openTestAgent({ hasAuth: false, handler: demo.handler });
    await using opened = await openChatVisit(open.url);
    const { page } = opened;
    await page.goto('/');
    await opened.say('hello');
    await page.getByText('You said hello.').waitFor();
    await opened.idle();
    await page.reload();
    await page.getByText('You said hello.').waitFor();
    await opened.say('slow');
    await page.getByText('The beginning,').waitFor();
    await page.reload();
    await page.getByText('The beginning,').waitFor();
    demo.open();
    await page.getByText('The beginning, the end.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByText('You said hello.').waitFor({ state: 'detached' });
    expect(opened.problems).toEqual([]);
  });
});

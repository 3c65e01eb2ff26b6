import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { oidc } from '../auth/oidc.ts';
import type { HandlerContext } from '../define/handler-context.ts';
import { scripted } from '../models/scripted.ts';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { defineTool } from '../tools/define-tool.ts';
import { NO_BROWSER, openBrowser, openPage } from './testing/open-browser.ts';
import { openProxy } from './testing/open-proxy.ts';
import { createSignInProvider } from './testing/sign-in-provider.ts';

const TITLE = '</script><script>window.pwned=1</script>';

let browser: Browser;
let agent: TestAgent;
/** Whom the handler waits for in the middle of an answer. */
let gate = Promise.withResolvers<void>();
let listener: { readonly origin: string; readonly requests: string[]; close(): void };

const BOX = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')}`;

async function* handler({ messages, signal }: HandlerContext) {
  const text = String(messages.at(-1)?.content);
  if (text.includes('slow')) {
    yield 'The beginning, ';
    await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    if (!signal.aborted) yield 'the end.';
    return;
  }
  if (text.includes('attack')) {
    yield `<img src=x onerror="window.pwned=1"> <script>window.pwned=1</script>\n\n![leak](${listener.origin}/leak.png?secret)\n\n`;
    yield '[run](javascript:window.pwned=1) [data](data:text/html,<script>window.pwned=1</script>)\n\n```"><img src=x onerror=window.pwned=1>\ncode\n```\n';
    yield { type: 'image' as const, src: `${listener.origin}/component.png`, alt: 'elsewhere' };
    yield { type: 'sources' as const, id: 's', sources: [{ title: 'source', url: 'javascript:window.pwned=1' }] };
    yield {
      type: 'step' as const,
      step: '<b onclick=alert(1)>step</b>',
      ok: true,
      result: '<script>window.pwned=1</script>',
    };
    return;
  }
  if (text.includes('everything')) {
    yield { type: 'thinking' as const, thinking: 'Let me see.' };
    yield { type: 'step' as const, id: 's1', step: 'Search', tool_name: 'search' };
    yield { type: 'step' as const, id: 's1', ok: true, args: { q: 'x' }, result: '3 files' };
    yield '# Report\n\nSome **bold** text, `code`.\n\n- [x] done\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';
    yield { type: 'table' as const, headers: ['Name', 'Size'] };
    yield { type: 'table' as const, row: ['a.pdf', '12 KB'] };
    yield { type: 'code' as const, code: 'print(1)', language: 'python' };
    yield { type: 'callout' as const, callout: 'Mind this.', style: 'warning' as const, title: 'Careful' };
    yield { type: 'image' as const, src: BOX, alt: 'a box', caption: 'A box' };
    yield {
      type: 'sources' as const,
      id: 'x',
      sources: [{ title: 'Example', url: 'https://example.com/a', snippet: 'Of it.' }],
    };
    yield { type: 'ui' as const, action: 'suggest' as const, suggestions: ['Say hello'] };
    return;
  }
  yield `You said ${text}.`;
}

beforeAll(async () => {
  if (NO_BROWSER) return;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  listener = { origin, requests, close: () => server.close() };
  [browser, agent] = await Promise.all([openBrowser(), openTestAgent({ title: TITLE, handler })]);
});
afterAll(async () => {
  await browser?.close();
  await agent?.[Symbol.asyncDispose]();
  listener?.close();
});
beforeEach((context) => {
  if (NO_BROWSER) context.skip(NO_BROWSER);
  gate = Promise.withResolvers();
});

const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const answers = (page: Page) => page.getByRole('article', { name: 'Answer' });
/** Once the answer is there. */
const idle = (page: Page) => page.locator('main:not(:has([aria-busy])) .send:not(.stop)').waitFor();

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

/** Opens the page as somebody whom no other test knows. */
let people = 0;
async function visit(size?: { width: number; height: number }, url = agent.url) {
  const token = `person-${++people}`;
  const opened = await openPage(browser, token, size);
  await opened.page.goto(url);
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  await field(opened.page).waitFor();
  return { ...opened, token };
}

describe('the page', () => {
  it('shows every component', async () => {
    await using opened = await visit();
    const { page, problems } = opened;
    await say(page, 'everything');
    await page.getByRole('button', { name: 'Say hello' }).waitFor();
    await idle(page);
    const answer = answers(page);
    expect(await answer.getByRole('heading', { name: 'Report' }).count()).toBe(1);
    expect(await answer.getByRole('checkbox').isChecked()).toBe(true);
    expect(await answer.getByRole('row', { name: 'a.pdf 12 KB' }).count()).toBe(1);
    expect(await answer.getByRole('note').textContent()).toContain('Careful');
    expect(
      await answer.getByRole('img', { name: 'a box' }).evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(9);
    expect(await answer.getByRole('link', { name: 'Example' }).getAttribute('href')).toBe('https://example.com/a');
    await answer.getByText('Search').click();
    expect(await answer.getByText('3 files').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Say hello' }).click();
    await page.getByText('You said Say hello.').waitFor();
    expect(problems).toEqual([]);
  });

  it('runs and loads nothing that a message holds, nor its own title', async () => {
    await using opened = await visit();
    const { page } = opened;
    await say(page, 'attack');
    await page.getByRole('link', { name: /component|elsewhere/ }).waitFor();
    await idle(page);
    expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
    expect(await page.title()).toBe(TITLE);
    expect(listener.requests).toEqual([]);
    const hrefs = await answers(page)
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(hrefs.filter((href) => !href?.startsWith(listener.origin))).toEqual([]);
    // Were it asked to, the browser itself would refuse.
    const refused = await page.evaluate(() => {
      try {
        document.body.innerHTML = '<b>x</b>';
        return false;
      } catch {
        return true;
      }
    });
    expect(refused).toBe(true);
  });

  it('stops an answer and keeps what there is of it', async () => {
    await using opened = await visit();
    const { page } = opened;
    await say(page, 'slow');
    await page.getByText('The beginning,').waitFor();
    await page.keyboard.press('Escape');
    await idle(page);
    expect(await answers(page).textContent()).not.toContain('the end.');
    await page.reload();
    await page.getByText('Stopped.').waitFor();
    expect(await answers(page).textContent()).toContain('The beginning,');
  });

  it('takes an answer up again after a reload and after a lost connection, each word once', async () => {
    await using proxy = await openProxy(agent.url);
    await using opened = await visit(undefined, proxy.url);
    const { page } = opened;
    await say(page, 'slow');
    await page.getByText('The beginning,').waitFor();
    await page.waitForURL(/\?id=/);
    await page.reload();
    await page.getByText('The beginning,').waitFor();
    proxy.cut();
    await page.getByText('The connection was lost').waitFor();
    gate.resolve();
    await page.getByText('The beginning, the end.').waitFor();
    await idle(page);
    expect(await answers(page).count()).toBe(1);
    expect((await answers(page).textContent())?.trim()).toBe('The beginning, the end.');
  });

  it('lists chats, opens and deletes them', async () => {
    await using opened = await visit();
    const { page } = opened;
    for (const text of ['first chat', 'second chat']) {
      await page.getByRole('button', { name: 'New chat' }).first().click();
      await say(page, text);
      await page.getByText(`You said ${text}.`).waitFor();
      await idle(page);
    }
    const chats = page.getByRole('navigation', { name: 'Chats' }).getByRole('link');
    await expect.poll(() => chats.allInnerTexts()).toEqual(['second chat', 'first chat']);
    await chats.getByText('first chat').click();
    await page.getByText('You said first chat.').waitFor();
    await page.goBack();
    await page.getByText('You said second chat.').waitFor();
    await page.getByRole('button', { name: 'Delete second chat' }).click();
    await expect.poll(() => chats.allInnerTexts()).toEqual(['first chat']);
    await page.getByText('Write a message').or(field(page)).first().waitFor();
    expect(await answers(page).count()).toBe(0);
  });

  it('keeps a chat for the tab where the agent keeps none', async () => {
    await using open = await openTestAgent({ hasAuth: false, handler });
    await using opened = await openPage(browser);
    const { page, problems } = opened;
    await page.goto(open.url);
    await say(page, 'hello');
    await page.getByText('You said hello.').waitFor();
    await idle(page);
    await page.reload();
    await page.getByText('You said hello.').waitFor();
    await say(page, 'slow');
    await page.getByText('The beginning,').waitFor();
    await page.reload();
    gate.resolve();
    await page.getByText('The beginning, the end.').waitFor();
    expect(problems).toEqual([]);
  });

  it('asks before a tool runs, and goes on when the person has decided', async () => {
    const ran: unknown[] = [];
    const tool = defineTool({
      name: 'delete_everything',
      description: 'Deletes everything',
      risk: 'destructive',
      input: z.object({ folder: z.string() }),
      async run(input) {
        ran.push(input);
        return 'deleted';
      },
    });
    const model = scripted([
      { calls: [{ tool: 'delete_everything', args: { folder: 'a\u202eb' } }] },
      'It is gone.',
      { calls: [{ tool: 'delete_everything', args: { folder: 'b' } }] },
      'It is still there.',
    ]);
    await using asking = await openTestAgent({ handler: undefined as never, model, tools: [tool] });
    await using opened = await openPage(browser, 'alice');
    const { page } = opened;
    await page.goto(asking.url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await say(page, 'Tidy up');
    const card = page.getByRole('region', { name: /^Approval/ });
    await card.waitFor();
    expect(await card.textContent()).toContain('a\\u{202e}b');
    expect(ran).toEqual([]);
    await idle(page);
    await page.reload();
    await card.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('It is gone.').waitFor();
    expect(ran).toEqual([{ folder: 'a\u202eb' }]);
    await idle(page);
    await say(page, 'Once more');
    await card.getByRole('button', { name: 'Deny' }).last().click();
    await page.getByText('It is still there.').waitFor();
    expect(ran).toHaveLength(1);
  });

  it('attaches files', async () => {
    await using opened = await visit();
    const { page, token } = opened;
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ name: 'né tes.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') });
    await say(page, 'Look');
    await page.getByText('You said Look.').waitFor();
    const files = (await (await agent.call(token, 'GET', '/files?path=attachments')).json()) as {
      name: string;
      path: string;
    }[];
    expect(files.map(({ name }) => name.slice(9))).toEqual(['né tes.txt']);
    const download = page.waitForEvent('download');
    await page.getByRole('article', { name: 'You' }).getByRole('link', { name: 'né tes.txt' }).click();
    expect((await download).suggestedFilename()).toContain('tes.txt');
  });
});

describe('a share', () => {
  it('is made on the page, read by anybody, and gone on with by who signs in', async () => {
    // Holds the agent to the contract: verifies('share.page')
    await using opened = await visit();
    const { page } = opened;
    await say(page, 'hello');
    await page.getByText('You said hello.').waitFor();
    await idle(page);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    const url = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    const response = await fetch(url);
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
    expect(await response.text()).toContain('<meta name="robots" content="noindex">');

    await using other = await openPage(browser, 'somebody-else');
    await other.page.goto(url);
    await other.page.getByText('You said hello.').waitFor();
    await other.page.getByRole('button', { name: 'Go on with a copy' }).click();
    await other.page.getByRole('button', { name: 'Go on with a copy' }).click();
    await other.page.waitForURL(/\/\?id=/);
    await other.page.getByText('You said hello.').waitFor();
    await say(other.page, 'mine now');
    await other.page.getByText('You said mine now.').waitFor();

    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('Taken back').waitFor();
    await other.page.goto(url);
    await other.page.getByRole('heading', { name: 'Nothing is shared here' }).waitFor();
  });
});

describe('signing in', () => {
  it('goes by the code flow with PKCE, renews tokens, and comes back to where it was', async () => {
    await using provider = await createSignInProvider('dora');
    await using signing = await openTestAgent({
      handler,
      auth: oidc({ issuer: provider.issuer, audience: 'web', clientId: 'web' }),
    });
    await using opened = await openPage(browser);
    const { page, problems } = opened;
    provider.expiresInSeconds = 1;
    // `localhost`, as the provider's address is: elsewhere it has to be https.
    const url = signing.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${url}/?id=some-chat`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await field(page).waitFor();
    provider.expiresInSeconds = 300;
    await say(page, 'hello');
    await page.getByText('You said hello.').waitFor();
    expect(provider.grants[0]).toBe('authorization_code');
    expect(provider.grants).toContain('refresh_token');
    await idle(page);
    await page.reload();
    await page.getByText('You said hello.').waitFor();
    // An answer to a sign-in that was not begun here is not taken.
    await page.goto(`${url}/?code=x&state=y`);
    await page.getByText('This sign-in was not begun here').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('everybody', () => {
  it('can use it: by keyboard, with a screen reader, on a phone', async () => {
    await using opened = await visit();
    const { page } = opened;
    await say(page, 'everything');
    await page.getByRole('button', { name: 'Say hello' }).waitFor();
    await idle(page);
    await page.evaluate(axe.source);
    for (const [colorScheme, width] of [
      ['light', 1_000],
      ['dark', 1_000],
      ['light', 360],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 700 });
      const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
      expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.getByRole('button', { name: 'Chats' }).click();
    await page.getByRole('link', { name: 'everything' }).click();
    await page.getByRole('heading', { name: 'Report' }).waitFor();
    expect(await page.getByRole('link', { name: 'everything' }).count()).toBe(0);
    await say(page, 'everything');
    await page.getByRole('button', { name: 'Say hello' }).waitFor();
    await idle(page);
    expect(await page.getByText('The answer is there.').getAttribute('aria-live')).toBe('polite');
    // From the field backwards to the buttons of the answer, without a trap.
    await field(page).focus();
    for (let steps = 0; steps < 12; steps++) {
      await page.keyboard.press('Shift+Tab');
      if ((await page.evaluate(() => document.activeElement?.textContent)) === 'Say hello') break;
    }
    await page.keyboard.press('Enter');
    await page.getByText('You said Say hello.').waitFor();
  });
});

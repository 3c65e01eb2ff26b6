import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import type { HandlerContext } from '../../packages/agent-core/src/handler/handler-context.ts';
import { createAttackHandler, evilName, RUNS } from './harness/attacks.ts';
import { openChatVisit } from './harness/open-chat-visit.ts';
import { SETTINGS } from './harness/open-visit.ts';
import { openSink, type Sink } from './harness/sink.ts';

/** How answers and files are drawn: what they look like, what they cost, and what they can't do. */

let agent: TestAgent;
let attacked: TestAgent;
let sink: Sink;
let gate = Promise.withResolvers<void>();

const PIECE = `Some **bold** text with $x^2$ and \`code\`, which goes on for a while.

- one
- two

\`\`\`ts
export const answer = 42; // because
\`\`\`

| name | size |
|---|---|
| a longer name than the heading | 1 |
| b | 22 |

`;

const DRAWN = `A flow[^1]:

\`\`\`mermaid
graph LR
  A[Write] --> B{Sound?}
  B -->|yes| C[Ship]
  B -->|no| A
\`\`\`

\`\`\`mermaid
graph TD; A-->
\`\`\`

> [!WARNING]
> Mind **this**.

\`\`\`python
print("one")
print("two")
\`\`\`

[^1]: Drawn by *hand*.
`;

async function* handler({ messages }: HandlerContext) {
  const text = String(messages.at(-1)?.content);
  if (text === 'drawn') yield DRAWN;
  else if (text === 'stream') {
    await gate.promise;
    const answer = PIECE.repeat(12);
    for (let at = 0; at < answer.length; at += 40) {
      yield answer.slice(at, at + 40);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    yield '\n\nThe end of it.';
  } else yield `You said ${text}.`;
}

beforeAll(async () => {
  sink = await openSink();
  const title = evilName(sink.origin);
  [agent, attacked] = await Promise.all([
    openTestAgent({ title: 'Research', handler }),
    openTestAgent({ title, description: title, suggestions: [title], handler: createAttackHandler(sink.origin) }),
  ]);
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await attacked?.[Symbol.asyncDispose]();
  await sink?.[Symbol.asyncDispose]();
});

const OWN = {
  en: { source: 'Source', enlarge: 'Enlarge', larger: 'Zoom in', note: 'Footnote 1', wrap: 'Wrap lines' },
  ar: {
    ...{ source: 'النص المصدري', enlarge: 'تكبير', larger: 'تكبير', note: 'الحاشية 1', wrap: 'التفاف الأسطر' },
  },
} as const;

describe.each(SETTINGS)('an answer, $name', (setting) => {
  it('has diagrams, footnotes, alerts and numbered code', async () => {
    await using opened = await openChatVisit(agent.url, setting);
    const { page, answers, check } = opened;
    const own = OWN[setting.language];
    await opened.signIn();
    await opened.say('drawn');
    const picture = answers.locator('img[src^="data:image/svg+xml"]');
    await picture.waitFor();
    // Fails when an edge shows through its label.
    const drawn = decodeURIComponent((await picture.getAttribute('src')) ?? '');
    expect(drawn).toMatch(/\.edgeLabel rect[^{]*\{\s*opacity:\s*1\s*!important/);
    await answers.getByText('Parse error').waitFor();
    await answers.locator('.hljs-string').first().waitFor();
    await opened.idle();
    await picture.scrollIntoViewIfNeeded();
    await check('chat-rendering');
    await answers.getByRole('button', { name: own.source }).click();
    await answers.getByText('A[Write]').waitFor();
    await answers.getByRole('button', { name: /^(Diagram|مخطط)$/ }).click();
    await answers.getByRole('button', { name: own.enlarge }).click();
    const dialog = page.getByRole('dialog');
    const width = () => dialog.getByRole('img').evaluate((node) => node.getBoundingClientRect().width);
    await dialog.getByRole('img').waitFor();
    const before = await width();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(before);
    await check('chat-zoom');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await answers.getByRole('button', { name: own.note, exact: true }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Drawn by hand');
    await answers.getByRole('button', { name: own.wrap }).click();
    expect(opened.problems).toEqual([]);
  });
});

it('an answer moves nothing of what is there while it comes', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page } = opened;
  await opened.signIn();
  const isReady = page.waitForResponse(/formula-mathml/);
  await opened.field.fill('stream');
  await (await isReady).finished();
  await opened.field.press('Enter');
  await page.getByRole('link', { name: 'stream' }).waitFor();
  await page.evaluate(() => {
    const shifts: unknown[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (!(entry as PerformanceEntry & { hadRecentInput: boolean }).hadRecentInput) shifts.push(entry.toJSON());
      }
    }).observe({ type: 'layout-shift' });
  });
  gate.resolve();
  await page.getByText('The end of it.').waitFor();
  await opened.idle();
  expect(await page.evaluate(() => (window as unknown as { shifts: unknown[] }).shifts)).toEqual([]);
  gate = Promise.withResolvers();
});

/** Shows a chat of so many messages, without the time that they take to be written. */
async function serveLongChat(page: Page, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, index) => {
    const text = `Message ${index}. ${'And words to read. '.repeat(index % 20)}`;
    if (index % 2 === 0) return { role: 'user', content: text };
    return { role: 'assistant', content: text, parts: [{ type: 'text', text }] };
  });
  const chat = { id: 'long', title: 'Long', messages, next: 1, open: null };
  await page.route('**/chats/long*', (route) => route.fulfill({ json: chat }));
  await page.route('**/chats/long/approvals', (route) => route.fulfill({ json: [] }));
}

it('a chat of 5,000 messages draws those near, keeps its place, and is searched by the browser as a whole', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page } = opened;
  await serveLongChat(page, 5_000);
  await opened.signIn();
  await page.goto('/?id=long');
  await page.getByText('Message 4999.').waitFor();
  const articles = page.getByRole('article');
  await expect.poll(() => articles.count()).toBeLessThan(300);
  const box = page.getByRole('region', { name: 'Conversation' });
  // What is read stays where it is while what is above it is drawn, higher or lower than it was thought to be.
  await box.evaluate((node) => {
    node.scrollTop = node.scrollHeight / 2;
  });
  const places = () =>
    box.evaluate((node) => {
      const top = node.getBoundingClientRect().top;
      const inSight = [...node.querySelectorAll('article')].find((one) => one.getBoundingClientRect().top > top + 50);
      return inSight && [inSight.textContent?.slice(0, 13), Math.round(inSight.getBoundingClientRect().top)];
    });
  await expect.poll(places).toBeDefined();
  await expect.poll(() => box.locator('[data-drawn=true]').count()).toBeGreaterThan(2);
  await box.hover();
  for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, -500);
  await expect.poll(() => articles.count()).toBeGreaterThan(10);
  let before = await places();
  await expect
    .poll(async () => {
      const [last, now] = [before, await places()];
      before = now;
      return JSON.stringify(now) === JSON.stringify(last);
    })
    .toBe(true);
  expect(await articles.count()).toBeLessThan(300);
  // As the browser does when it finds words of a message that is not drawn.
  const words = box.locator('[hidden=until-found]', { hasText: 'Message 17.' });
  expect(await words.count()).toBe(1);
  await words.evaluate((node) => node.dispatchEvent(new Event('beforematch', { bubbles: true })));
  await page.getByText('Message 17.').waitFor({ state: 'attached' });
  await words.waitFor({ state: 'detached' });
  expect(opened.problems).toEqual([]);
});

/** What an attack would have done. */
async function expectUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
  const hrefs = await page.locator('a').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  expect(hrefs.filter((href) => !/^(?:https?|mailto):/.test(href))).toEqual([]);
  const loading = 'main :is(script, iframe, object, embed, style, link, base, meta, form:not(:has(#message)))';
  expect(await page.locator(loading).count()).toBe(0);
  const pictures = await page.locator('img').evaluateAll((all) => all.map((one) => one.getAttribute('src')));
  expect(pictures.filter((src) => !/^(?:data:image|blob:|\/favicon\.svg$)/.test(src ?? ''))).toEqual([]);
  expect(sink.requests).toEqual([]);
}

const nonceOf = (page: Page) => page.evaluate(() => document.querySelector('script')?.nonce ?? 'none');

describe('what nobody vouches for', () => {
  it('runs nothing and loads nothing: in answers, names, titles, files, shares', async () => {
    const name = evilName(sink.origin);
    await using opened = await openChatVisit(attacked.url, { person: 'victim' });
    const { page } = opened;
    await opened.signIn();
    await opened.say(name);
    await page.getByText('The attack is over.').waitFor();
    await opened.idle();
    // Diagrams are drawn, or say why they can't be.
    await expect.poll(() => page.getByText(/Rendering the diagram/).count(), { timeout: 60_000 }).toBe(0);
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true;
    });
    expect(await page.title()).toContain(name);
    await expectUnharmed(page);

    const chatId = new URL(page.url()).searchParams.get('id') ?? '';
    await attacked.call('victim', 'PUT', `/chats/${chatId}`, { title: name });
    const file = `${RUNS} "'<b>&.svg`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUNS}" width="9" height="9"><script>${RUNS}</script><image href="${sink.origin}/file.png"/></svg>`;
    await attacked.call('victim', 'PUT', `/files/${encodeURIComponent(file)}`, svg);
    await page.reload();
    await page
      .getByRole('link', { name: /onerror/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    await page
      .getByRole('button', { name: /window\.pwned/ })
      .first()
      .click();
    await page.locator('aside img, section img').last().waitFor();
    await expectUnharmed(page);

    const shared = await attacked.call('victim', 'POST', '/share', { path: `chat/${chatId}` });
    const { url } = (await shared.json()) as { readonly url: string };
    await using stranger = await openChatVisit(attacked.url);
    await stranger.page.goto(new URL(url, attacked.url).href);
    await stranger.page.getByText('The attack is over.').waitFor();
    await expect.poll(() => stranger.page.getByText(/Rendering the diagram/).count(), { timeout: 60_000 }).toBe(0);
    await expectUnharmed(stranger.page);
    // What the library of diagrams tried in its frame was refused there; on the page itself nothing was tried.
    const nonces = await Promise.all([page, stranger.page].map(nonceOf));
    const problems = [...opened.problems, ...stranger.problems];
    const isOfFrame = (problem: string) =>
      /violates the following Content Security Policy/.test(problem) &&
      !problem.includes("img-src 'self'") &&
      !nonces.some((nonce) => problem.includes(nonce));
    expect(problems.filter((problem) => !isOfFrame(problem))).toEqual([]);
  });

  it('is drawn in a frame that has no origin and reaches nothing', async () => {
    await using opened = await openChatVisit(agent.url);
    const { page } = opened;
    await page.goto('/_page/diagram.html');
    const reached = await page.evaluate(async (url) => {
      const attempt = async (work: () => unknown) => {
        try {
          await work();
          return 'done';
        } catch {
          return 'refused';
        }
      };
      return {
        origin: globalThis.origin,
        fetch: await attempt(() => fetch(`${url}/from-frame`, { mode: 'no-cors' })),
        own: await attempt(() => fetch('/config')),
        storage: await attempt(() => localStorage.length),
        picture: await new Promise((resolve) => {
          const image = new Image();
          image.onload = () => resolve('done');
          image.onerror = () => resolve('refused');
          image.src = `${url}/picture-of-frame`;
        }),
      };
    }, sink.origin);
    const [fetched, own, storage, picture] = ['refused', 'refused', 'refused', 'refused'];
    expect(reached).toEqual({ origin: 'null', fetch: fetched, own, storage, picture });
    expect(sink.requests).toEqual([]);
  });
});

it('files are shown as what they are: tables of any length, slides, pages with words to select', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page, person, check } = opened;
  const rows = Array.from({ length: 5_000 }, (_, index) => `${index},name ${index}`).join('\n');
  await agent.call(person, 'PUT', '/files/long.csv', `id,name\n${rows}`);
  await agent.call(person, 'PUT', '/files/deck.pptx', 'converted elsewhere');
  await agent.call(person, 'PUT', '/files/page.pdf', PDF);
  const slide = `data:image/png;base64,${PNG}`;
  await page.route('**/deck.pptx?as=slides', (route) => route.fulfill({ json: { count: 2, slides: [slide, slide] } }));
  await opened.signIn();
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  const back = () => page.getByRole('button', { name: 'Back to files' }).click();
  const open = (name: string) =>
    page
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .first()
      .click();
  await open('long.csv');
  await page.getByText('5,000 rows').waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(100);
  for (const _ of [1, 2]) await page.getByRole('button', { name: 'id', exact: true }).click();
  await page.getByRole('cell', { name: 'name 4999' }).waitFor();
  await check('chat-file-table');
  await back();
  await open('deck.pptx');
  await page.getByRole('button', { name: 'Slide 2 of 2' }).click();
  await page.getByRole('dialog', { name: 'Slide 2 of 2' }).waitFor();
  await page.keyboard.press('Escape');
  await check('chat-file-slides');
  await back();
  await open('page.pdf');
  await page.locator('.pdf-words', { hasText: 'On a page' }).waitFor();
  expect(opened.problems).toEqual([]);
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** One page with one line on it. */
const PDF = (() => {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    '<</Length 37>>stream\nBT /F 24 Tf 20 40 Td (On a page) Tj ET\nendstream',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  const body = objects.map((text, index) => `${index + 1} 0 obj${text}endobj\n`).join('');
  return `%PDF-1.4\n${body}trailer<</Root 1 0 R>>\n`;
})();

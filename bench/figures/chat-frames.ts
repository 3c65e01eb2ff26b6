import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM_OPTIONS, NO_BROWSER } from '../../packages/agent/src/page/testing/open-browser.ts';
import { openTestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import type { HandlerContext } from '../../packages/agent-core/src/handler/handler-context.ts';
import { buildPage } from '../../tools/web/build-page.ts';
import { LONG_ANSWERS, tokensOf } from '../agents/long-answers.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { mainTasks } from '../main-tasks.ts';
import { roundTo } from '../statistics.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** As fast as models write today: 10,000 tokens in 20 seconds. */
const TOKENS_A_TICK = 10;
const TICK_MS = 20;
const MESSAGES = 5_000;
/** No one writes a message faster. */
const WRITES_MS = 1_000;
/** A person sees a picture that comes later. */
const FRAME_MS = 50;

/** What the browser did: its tasks by the time that its main thread worked at them, and how far what was there moved. */
interface Seen {
  /** In milliseconds of the processor: what other programs take of it is not in it. */
  readonly longest: number;
  /** Tasks above 50 ms. */
  readonly count: number;
  readonly shift: number;
}

/** How long the chat page holds its browser up while an answer streams, and while a long chat is opened and scrolled. */
export async function measureChatFrames({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  if (NO_BROWSER) return { figures: [], notes: [`${NO_BROWSER}: nothing was measured.`] };
  await buildPage(ROOT, 'apps/chat', () => say('building the page …'));
  await using agent = await openTestAgent({ page: path.join(ROOT, 'apps/chat/dist'), handler });
  const browser = await chromium.launch(CHROMIUM_OPTIONS);
  await using _ = { [Symbol.asyncDispose]: () => browser.close() };
  const context = await browser.newContext({ baseURL: agent.url, viewport: { width: 1_280, height: 800 } });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.goto('/');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel(/^A token/).fill('bench');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#message').waitFor();
  const figures: Figure[] = [];
  for (const name of isTenth ? ['mixed'] : Object.keys(LONG_ANSWERS)) {
    await page.goto('/');
    await page.locator('#message').waitFor();
    await page.waitForTimeout(1_000);
    const seen = await watch(page, async () => {
      await page.locator('#message').fill(isTenth ? `${name} short` : name);
      await page.waitForTimeout(WRITES_MS);
      await page.locator('#message').press('Enter');
      await page.getByText('The end of it.').waitFor();
    });
    say(`${name}: ${JSON.stringify(seen)}`);
    figures.push(
      figure(`longest task while 10,000 tokens stream, ${name}`, seen.longest, 'ms', { target: 50 }),
      figure(`tasks above 50 ms, ${name}`, seen.count, 'runs', { target: 0 }),
      figure(`layout shift, ${name}`, seen.shift, 'ratio', { target: 0 }),
    );
  }
  const plain = await measurePlain(page, isTenth);
  say(`plain text: ${JSON.stringify(plain)}`);
  figures.push(figure('longest task of text alone in one node, beside it', plain.longest, 'ms'));
  figures.push(...(await measureLongChat(page)));
  return {
    figures,
    notes: [
      `${TOKENS_A_TICK} tokens every ${TICK_MS} ms, a window of 1280 × 800. Tasks by the time that the main thread worked, from Chromium's trace: other programs of the machine are not in it.`,
      'The agent, the browser and the measuring share the machine; the opening of the long chat is by the clock.',
    ],
  };
}

async function* handler({ messages, signal }: HandlerContext) {
  const [name = '', isShort] = String(messages.at(-1)?.content).split(' ');
  const tokens = tokensOf(LONG_ANSWERS[name] ?? name);
  const some = isShort ? tokens.slice(0, tokens.length / 10) : tokens;
  for (let at = 0; at < some.length && !signal.aborted; at += TOKENS_A_TICK) {
    yield some.slice(at, at + TOKENS_A_TICK).join('');
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  yield '\n\nThe end of it.';
}

/** Does `work`, and says what the page's main thread had to do meanwhile. */
async function watch(page: Page, work: () => Promise<unknown>): Promise<Seen> {
  await page.evaluate(() => {
    const seen = { shift: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
        if (!hadRecentInput) seen.shift += value;
      }
    }).observe({ type: 'layout-shift' });
  });
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ['toplevel'] });
  await work();
  const trace = await browser?.stopTracing();
  const tasks = trace ? mainTasks(trace) : [];
  const { shift } = await page.evaluate(() => (window as unknown as { readonly seen: Seen }).seen);
  return {
    longest: roundTo(Math.max(0, ...tasks), 0),
    count: tasks.filter((taskMs) => taskMs > FRAME_MS).length,
    shift: roundTo(shift, 4),
  };
}

/** The same text put into one node of an empty page, as often as the page draws. */
async function measurePlain(page: Page, isTenth: boolean): Promise<Seen> {
  const blank = await page.context().newPage();
  await blank.setContent(
    '<div id="box" style="height:100vh;overflow:auto"><pre style="white-space:pre-wrap"></pre></div>',
  );
  const text = LONG_ANSWERS['mixed'] ?? '';
  const write = () =>
    blank.evaluate(
      async ({ text, step, pauseMs }) => {
        const node = document.querySelector('pre') as HTMLElement;
        const box = document.querySelector('#box') as HTMLElement;
        for (let end = step; end < text.length + step; end += step) {
          node.textContent = text.slice(0, end);
          box.scrollTop = box.scrollHeight;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
      },
      { text: text.slice(0, isTenth ? text.length / 10 : undefined), step: 100, pauseMs: 50 },
    );
  const seen = await watch(blank, write);
  await blank.close();
  return seen;
}

/** A chat of 5,000 messages: from the address to its end in sight, and the frames while it is scrolled through. */
async function measureLongChat(page: Page): Promise<Figure[]> {
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    if (index % 2 === 0) return { role: 'user', content: `Question ${index}?` };
    const text = `## Answer ${index}\n\nSome **bold** words. ${'More of it to read. '.repeat(index % 17)}\n\n- one\n- two\n\n\`\`\`ts\nconst x = ${index};\n\`\`\`\n`;
    return { role: 'assistant', content: text, parts: [{ type: 'text', text }] };
  });
  await page.route('**/chats/long*', (route) =>
    route.fulfill({ json: { id: 'long', title: 'Long', messages, next: 1, open: null } }),
  );
  await page.route('**/chats/long/approvals', (route) => route.fulfill({ json: [] }));
  await page.goto('/');
  await page.locator('#message').waitFor();
  await page.waitForTimeout(1_000);
  const openMs = await page.evaluate(async () => {
    const startedMs = performance.now();
    history.pushState(null, '', '/?id=long');
    dispatchEvent(new PopStateEvent('popstate'));
    const isThere = () => {
      const box = document.querySelector('[data-scroller]');
      const isAtEnd = box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < 5;
      return (
        isAtEnd && ([...document.querySelectorAll('article')].at(-1)?.textContent ?? '').includes('const x = 4999')
      );
    };
    while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - startedMs;
  });
  await page.waitForTimeout(1_000);
  const scroll = () =>
    page.evaluate(async () => {
      const box = document.querySelector('[data-scroller]') as HTMLElement;
      for (let frame = 0; frame < 300; frame++) {
        box.scrollTop -= 100;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    });
  const seen = await watch(page, scroll);
  return [
    figure(`a chat of ${MESSAGES} messages, to its end in sight`, openMs, 'ms', { target: 300 }),
    figure('longest task while it is scrolled up by 30,000 pixels', seen.longest, 'ms', { target: 50 }),
  ];
}

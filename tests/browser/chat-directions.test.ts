import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import type { Handler } from '../../packages/agent-core/src/handler/handler-context.ts';
import { openChatVisit } from './harness/open-chat-visit.ts';
import { SETTINGS } from './harness/open-visit.ts';

/** Where answers in both directions stand, and what the page does with files that are dropped on it. */

let agent: TestAgent;

const SENTENCE = 'spring tide, a rather long remark that should wrap in a column and leave the page as wide as it is';
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Both directions in one answer. */
const MIXED = `Tides[^1] .

| Station | High | Low | Note |
|:--|--:|:-:|---|
| Oslo | 3.1 m | 0.4 m | ${SENTENCE} |
| Bergen | 12.9 m | 0.2 m | neap |

${Array.from({ length: 12 }, (_, at) => `${at + 95}. item ${at}`).join('\n')}

أهلًا بك في تقرير المد والجزر.

8. أولًا نفتح الملف \`report.csv\`
9. ثم نحسب المتوسط
10. English here
    - بند فرعي
      - بند أعمق

- [x] مهمة تمت
- [ ] مهمة أخرى

| المدينة | السكان |
|---|--:|
| عمّان | 4.0 |
| بيروت | 2.4 |

> [!WARNING]
> تيارات قوية يوم الأحد.

> اقتباس قصير

| one | two | three | four | five | six | seven |
|---|---|---|---|---|---|---|
${`| ${Array.from({ length: 7 }, (_, at) => `a longer cell ${at}`).join(' | ')} |\n`.repeat(2)}
\`\`\`ts
export const line = '${'long '.repeat(60)}';
\`\`\`

[^1]: حاشية قصيرة
`;

const handler: Handler = async function* () {
  yield { type: 'status', status: 'Almost done' };
  yield MIXED;
  yield { type: 'image', src: PNG, alt: 'A point' };
};

beforeAll(async () => {
  agent = await openTestAgent({ title: 'Research', handler });
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
});

describe.each(SETTINGS)('an answer in both directions, $name', (setting) => {
  // Fails when numbers, cells, headings or titles leave the column, or stand on the wrong side of it.
  it('stays in its column, on the right sides', async () => {
    await using opened = await openChatVisit(agent.url, setting);
    const { page, answers, check } = opened;
    await opened.signIn();
    await opened.say('Mixed directions of a chat with a long title');
    await answers.getByText('حاشية قصيرة').waitFor();
    await answers.locator('.hljs-string').waitFor();
    await opened.idle();
    expect(await answers.getByText('Almost done').count()).toBe(0);

    const column = await boxOf(answers);
    const outside = await answers.evaluate((answer) => {
      const { left, right } = answer.getBoundingClientRect();
      return [...answer.querySelectorAll('li, p, td, th, figure, blockquote, [role=group], [role=note]')].flatMap(
        (one) => {
          const clip = one.parentElement?.closest('[role=group]');
          const box = one.getBoundingClientRect();
          // The marker of an item is drawn in the padding of its list.
          const list = one.closest('ol, ul')?.getBoundingClientRect() ?? box;
          const isIn = [box, list].every((at) => at.left >= left - 1 && at.right <= right + 1);
          return clip || isIn ? [] : [one.outerHTML.slice(0, 80)];
        },
      );
    });
    expect(outside).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);

    // The numbers of a list stand where its words begin, inside the column.
    const arabic = await boxOf(answers.locator('ol', { hasText: 'أولًا' }));
    const first = await boxOf(answers.locator('li bdi', { hasText: 'أولًا' }));
    expect(arabic.right).toBeCloseTo(column.right, 0);
    expect(arabic.right - first.right).toBeGreaterThan(20);
    const english = await boxOf(answers.locator('li bdi', { hasText: 'item 11' }));
    expect(english.left - column.left).toBeGreaterThan(28);

    // A mirrored table begins at its right, and a heading stands over its cells.
    const tables = answers.locator('table');
    const [city, people] = [tables.nth(1).locator('th bdi').nth(0), tables.nth(1).locator('th bdi').nth(1)];
    expect((await boxOf(city)).left).toBeGreaterThan((await boxOf(people)).right);
    expect((await boxOf(tables.nth(1).locator('td bdi').nth(0))).right).toBeCloseTo((await boxOf(city)).right, 0);
    expect((await boxOf(tables.nth(1).locator('td bdi').nth(1))).left).toBeCloseTo((await boxOf(people)).left, 0);
    // A column that is aligned right is, with its heading.
    const high = await boxOf(tables.nth(0).locator('th bdi').nth(1));
    for (const row of [1, 5]) {
      expect((await boxOf(tables.nth(0).locator('td bdi').nth(row))).right).toBeCloseTo(high.right, 0);
    }
    // The four columns fit the wide page; the seven scroll, and show on which side there is more.
    const groups = answers.getByRole('group', { name: /^(Table|جدول)$/ });
    const hidden = (index: number) => groups.nth(index).evaluate((box) => box.scrollWidth - box.clientWidth);
    if (setting.width > 1000) expect(await hidden(0)).toBe(0);
    expect(await hidden(2)).toBeGreaterThan(0);
    const wide = groups.nth(2);
    expect(await wide.getAttribute('data-more')).toBe('right');
    await wide.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => wide.getAttribute('data-more')).toBe('left right');

    // The heading of a callout is beside its icon.
    const callout = answers.getByRole('note').filter({ hasText: 'تيارات' });
    const icon = await boxOf(callout.locator('svg'));
    const heading = await boxOf(callout.locator('strong bdi'));
    expect(icon.left - heading.right).toBeGreaterThan(0);
    expect(icon.left - heading.right).toBeLessThan(20);
    // The mark of a footnote is at its word.
    expect(await answers.locator('p').first().textContent()).toMatch(/^Tides1 \.$/);

    // A title starts where rows of the page do, whatever its own direction.
    const title = page.getByRole('heading', { name: 'Research' });
    const side = await title.evaluate((heading) => getComputedStyle(heading).textAlign);
    expect(side).toMatch(setting.language === 'ar' ? /right$/ : /left$/);
    await check('chat-directions');
    await answers.getByRole('button', { name: 'A point' }).click();
    await page.getByRole('dialog', { name: 'A point' }).waitFor();
    await page.keyboard.press('Escape');
    expect(opened.problems).toEqual([]);
  });
});

it('files are taken anywhere on the page, and never open in place of it', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page } = opened;
  const drag = async (on: string, type: string) =>
    await page.evaluate(
      ([selector, name]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['a'], 'tides.csv'));
        const event = new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer });
        document.querySelector(selector)?.dispatchEvent(event);
        return event.defaultPrevented;
      },
      [on, type] as const,
    );
  // Before the sign-in nothing takes files, and nothing may happen to the page.
  await page.goto(agent.url);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await drag('main', 'dragover')).toBe(true);
  expect(await drag('main', 'drop')).toBe(true);
  await opened.signIn();
  const hint = page.getByText('Drop files to attach');
  const view = page.viewportSize();
  expect(await drag('h1', 'dragover')).toBe(true);
  const covered = await hint.locator('../..').boundingBox();
  expect(covered).toMatchObject({ x: 0, y: 0, ...view });
  // From one element to the next the hint stays.
  for (const place of ['[aria-label=Conversation]', '#message', '#chats']) {
    await drag('h1', 'dragleave').catch(() => undefined);
    await drag(place, 'dragover');
    expect(await hint.count()).toBe(1);
  }
  await opened.check('chat-drop');
  await drag('[aria-label=Conversation]', 'drop');
  await hint.waitFor({ state: 'detached' });
  await page.getByRole('list', { name: 'Attached files' }).getByText('tides.csv').first().waitFor();
  // A dialog covers the page: files don't go behind it.
  await page.getByRole('button', { name: 'Search and commands' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await drag('[role=dialog]', 'dragover')).toBe(true);
  expect(await hint.count()).toBe(0);
  await drag('[role=dialog]', 'drop');
  expect(await page.locator('li', { hasText: 'tides.csv' }).count()).toBe(1);
  expect(opened.problems).toEqual([]);
});

async function boxOf(element: Locator): Promise<{ readonly left: number; readonly right: number }> {
  const { x = 0, width = 0 } = (await element.boundingBox()) ?? {};
  return { left: x, right: x + width };
}

import { expect, test } from 'vitest';
import type { OwnerKey } from '../ports/owner-key.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

/** Runs the contract tests of the search of a {@link ChatStore}. */
export function describeChatSearch(open: () => StoreFixture): void {
  const say = async ({ stores }: StoreFixture, owner: OwnerKey, id: string, ...texts: readonly string[]) => {
    const messages = texts.map((content, index) => ({ role: index % 2 ? 'assistant' : 'user', content }) as const);
    await stores.chats.append(owner, id, messages, NOW_MS);
  };
  const find = async ({ stores, ann }: StoreFixture, query: string) =>
    (await stores.chats.list(ann, { limit: 10, query })).map(({ id }) => id);
  const marked = async ({ stores, ann }: StoreFixture, query: string) =>
    (await stores.chats.list(ann, { limit: 10, query })).map(({ match }) =>
      match?.excerpt.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join(''),
    );

  test.each([
    ['When is high tide in Dover?', 'TIDE', 'When is high [tide] in Dover?'],
    ['Die Gezeitentabelle von Emden', 'tabelle', 'Die Gezeiten[tabelle] von Emden'],
    ['Où est le café ?', 'cafe ou', '[Où] est le [café] ?'],
    ['أرسل التَّقرير إلى القبطان', 'تقرير', 'أرسل ال[تَّقرير] إلى القبطان'],
    ['تقارير المدينة الكبرى', 'المدينه', 'تقارير [المدينة] الكبرى'],
    ['東京の潮見表をください', '東京', '[東京]の潮見表をください'],
    ['서울의 날씨', '날씨', '서울의 [날씨]'],
    ['path C:\\tide%20table "quoted" AND *', '"quoted" and', 'path C:\\tide%20table ["quoted"] [AND] *'],
  ])('%s is found by %s', async (text, query, excerpt) => {
    const fixture = open();
    await say(fixture, fixture.ann, 'c1', text);
    await say(fixture, fixture.ann, 'c2', 'something else');
    expect(await marked(fixture, query)).toEqual([excerpt]);
  });

  test('all words count, in one message, and a long text is cut around the first of them', async () => {
    const fixture = open();
    await say(fixture, fixture.ann, 'c1', `${'before '.repeat(50)}harbor ${'after '.repeat(50)}`, 'the master of it');
    expect(await find(fixture, 'harbor master')).toEqual([]);
    const [excerpt = ''] = await marked(fixture, 'harbor');
    expect(excerpt).toMatch(/^…before .*\[harbor\] after .*…$/);
    expect(excerpt.length).toBeLessThan(200);
    // Has all parts of the word, but not the word.
    await say(fixture, fixture.ann, 'c2', 'hard arboreal harbinger rborx bor');
    expect(await find(fixture, 'harbor')).toEqual(['c1']);
  });

  test('the newest message that matches is named, and a title counts as well', async () => {
    const fixture = open();
    const { stores, ann } = fixture;
    await say(fixture, ann, 'c1', 'tide one', 'no', 'tide two', 'no');
    await stores.chats.patch(ann, 'c2', { title: 'About the tide' }, NOW_MS + 5);
    const found = await stores.chats.list(ann, { limit: 10, query: 'tide' });
    expect(found.map(({ id, match }) => [id, match?.seq, match?.role])).toEqual(
      [
        ['c1', 3, 'user'],
        ['c2', undefined, undefined],
      ].reverse(),
    );
    expect(await find(fixture, 't')).toEqual(['c2']);
  });

  test("only the owner's messages are found, and none of a chat in the trash or gone", async () => {
    const fixture = open();
    const { stores, ann, bob } = fixture;
    await say(fixture, bob, 'c1', 'the secret tide');
    expect(await find(fixture, 'secret')).toEqual([]);
    await say(fixture, ann, 'c1', 'my own secret');
    expect(await find(fixture, 'secret')).toEqual(['c1']);
    await stores.chats.trash(ann, 'c1', NOW_MS);
    expect(await find(fixture, 'secret')).toEqual([]);
    await stores.chats.restore(ann, 'c1');
    expect(await find(fixture, 'secret')).toEqual(['c1']);
    await stores.chats.trash(ann, 'c1', NOW_MS);
    await stores.chats.purge(ann, { beforeMs: NOW_MS + 1 });
    await say(fixture, ann, 'c1', 'another');
    expect(await find(fixture, 'secret')).toEqual([]);
  });

  test('a turn is found at once, its internal messages and removed ones never', async () => {
    const fixture = open();
    const { stores, ann, beginOf } = fixture;
    const run = beginOf({ message: { message: { role: 'user', content: 'the question' }, title: 'T' } });
    await stores.runs.begin(run);
    expect(await find(fixture, 'question')).toEqual(['c1']);
    await stores.runs.settle(run.id, {
      attempt: 1,
      status: 'done',
      messages: [
        { role: 'system', content: 'hidden summary', isInternal: true },
        { role: 'assistant', content: 'the answer' },
      ],
      costMicroUsd: 0,
      nowMs: NOW_MS,
      keepFramesUntilMs: NOW_MS,
    });
    expect(await find(fixture, 'answer')).toEqual(['c1']);
    expect(await find(fixture, 'hidden')).toEqual([]);
    expect(await stores.chats.truncate(ann, 'c1', { fromSeq: 3, lastSeq: 3, nowMs: NOW_MS })).toBe('done');
    expect(await find(fixture, 'answer')).toEqual([]);
  });

  test('pages of a search go on where the last one ended', async () => {
    const fixture = open();
    const { stores, ann } = fixture;
    for (let number = 1; number <= 7; number++) {
      await stores.chats.append(ann, `c${number}`, [{ role: 'user', content: `tide ${number}` }], NOW_MS + number);
    }
    const ids: string[] = [];
    let after: { readonly updatedAtMs: number; readonly id: string } | undefined;
    for (;;) {
      const page = await stores.chats.list(ann, { limit: 3, query: 'tide', ...(after && { after }) });
      ids.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      if (!last) break;
      after = last;
    }
    expect(ids).toEqual(['c7', 'c6', 'c5', 'c4', 'c3', 'c2', 'c1']);
  });
}

// @vitest-environment happy-dom
import { type AuditEntry, createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openView } from '../../testing/open-view.ts';
import { watchDownloads } from '../../testing/watch-downloads.ts';
import { AuditPage } from './audit-page.tsx';

const AUDIT = 'GET /v1/user/audit';
type Query = Readonly<Record<string, unknown>>;

const entry = (at: number, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ id: `aud_${at}`, time: '2026-01-01T12:00:00Z', action: 'key.create', target: `key ${at}`, request_id: null },
  ...{ actor: { kind: 'session', id: 'usr_1' }, actor_name: 'Ada', details: {} },
  ...changes,
});
const pageOf = (entries: readonly AuditEntry[], next: string | null = null) => ({ entries, next_page_token: next });

async function open(answer: (query: Query) => unknown, search = '') {
  const page = await openView(createElement(AuditPage), {
    address: `/audit${search}`,
    answers: {
      [AUDIT]: ({ query }) => answer(query),
      'GET /v1/user/members': () => [{ user_id: 'usr_1', name: 'Ada', email: 'ada@example.org' }],
      'GET /v1/user/keys': () => [{ id: 'key_1', name: 'ci' }],
    },
  });
  return {
    ...page,
    href: () => page.router.state.location.href,
    targets: () =>
      page
        .controls()
        .filter((name) => name.includes('API key created'))
        .map((name) => /key \d+/.exec(name)?.[0]),
  };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the audit log', () => {
  // Fails when older entries are left out, read twice or never read.
  test('reads on where the answer ended, to the first entry', async () => {
    const { until, targets, sent, text } = await open(({ page_token: token }) =>
      token === undefined ? pageOf([entry(3), entry(2)], 'p2') : pageOf([entry(1)]),
    );
    await until(() => expect(targets()).toEqual(['key 3', 'key 2', 'key 1']));
    expect(text()).toContain('Start of log');
    expect(sent(AUDIT)).toEqual([{ limit: 200 }, { limit: 1_000, page_token: 'p2' }]);
  });

  // Fails when entries that are missing look like the end of the log.
  test('says when older entries can’t be read, and reads on when it is asked to', async () => {
    let isBroken = true;
    const { until, targets, sent, texts, text, clickOn, settle } = await open(({ page_token: token }) => {
      if (token === undefined) return pageOf([entry(2)], 'p2');
      if (isBroken) throw createError('unavailable', 'The database is busy.');
      return pageOf([entry(1)]);
    });
    await until(() => expect(texts('alert')).toEqual(['The database is busy.Try again']));
    await settle();
    expect([targets(), sent(AUDIT).length]).toEqual([['key 2'], 2]);
    expect(text()).not.toContain('Start of log');
    isBroken = false;
    await clickOn('Try again');
    await until(() => expect(targets()).toEqual(['key 2', 'key 1']));
    expect(texts('alert')).toEqual([]);
  });

  test('that is empty says what will be here', async () => {
    const { text, control } = await open(() => pageOf([]));
    expect(text()).toContain('No changes yet');
    expect(control('Download CSV').disabled).toBe(true);
  });

  // Fails when filters that match nothing look like an empty log, or can't be taken back.
  test('without a match offers to show everything', async () => {
    const { text, clickOn, until, href, targets } = await open(
      ({ target }) => (target === undefined ? pageOf([entry(1)]) : pageOf([])),
      '?target=nothing&range=7d',
    );
    expect(text()).toContain('No matching entries');
    await clickOn('Clear filters');
    await until(() => expect(targets()).toEqual(['key 1']));
    expect(href()).toBe('/audit');
  });

  test('that can’t be read is asked for again', async () => {
    let asked = 0;
    const { texts, clickOn, until, targets } = await open(() => {
      if (++asked === 1) throw createError('forbidden', 'Only owners and admins may read the audit log.');
      return pageOf([entry(1)]);
    });
    expect(texts('alert')).toEqual(['Only owners and admins may read the audit log.Try again']);
    await clickOn('Try again');
    await until(() => expect(targets()).toEqual(['key 1']));
  });
});

describe('a filter', () => {
  const both = (query: Query) => pageOf(query['action'] === 'key' ? [entry(1)] : [entry(2), entry(1)]);

  // Fails when Enter and the loss of focus after it ask twice, or spaces are part of the filter.
  test('that is written applies once, with Enter or when the field is left', async () => {
    const { type, press, choose, until, href, targets, sent, field } = await open(both);
    await choose('Action', 'All API key changes');
    await until(() => expect(targets()).toEqual(['key 1']));
    await type('Target', ' ci ');
    expect(href()).toBe('/audit?action=key');
    await press('Enter');
    await until(() => expect(href()).toBe('/audit?action=key&target=ci'));
    await until(() => expect(field('Target').value).toBe('ci'));
    await choose('Action', 'API key revoked');
    await until(() => expect(href()).toBe('/audit?action=key.revoke&target=ci'));
    expect(sent(AUDIT)).toEqual([
      { limit: 200 },
      { action: 'key', limit: 200 },
      { action: 'key', target: 'ci', limit: 200 },
      { action: 'key.revoke', target: 'ci', limit: 200 },
    ]);
  });

  // Fails when a field that is left as it was applies again: the entry that is open would close.
  test('that wasn’t changed keeps the open entry', async () => {
    const { type, href, settle } = await open(both, '?action=key&target=ci&entry=aud_1');
    await type('Target', 'ci ');
    await type('Target', 'ci');
    await settle();
    expect(href()).toBe('/audit?action=key&target=ci&entry=aud_1');
  });

  // Fails when a link with an action of another version, or a group with a single action, shows a wrong filter.
  test.each([
    ['environment', 'All variable changes'],
    ['moon.land', 'moon.land'],
  ])('by %s is shown as %s', async (action, label) => {
    const { texts } = await open(both, `?action=${action}`);
    expect(texts('combobox')).toContain(label);
  });

  // Fails when people and keys that were removed can't be looked for any more.
  test('names people, keys and the platform, also those that are gone', async () => {
    const { choose, until, sent, texts } = await open(both, '?actor=usr_gone');
    expect(texts('combobox')[0]).toContain('usr_gone');
    await choose('Actor', 'usr_gone');
    await choose('Actor', 'Ada · ada@example.org');
    await until(() => expect(sent(AUDIT).at(-1)).toMatchObject({ actor: 'usr_1' }));
    await choose('Actor', 'Key ci');
    await until(() => expect(sent(AUDIT).at(-1)).toMatchObject({ actor: 'key_1' }));
    await choose('Actor', 'Berth');
    await until(() => expect(sent(AUDIT).at(-1)).toMatchObject({ actor: 'system' }));
  });
});

describe('an entry', () => {
  const details = { scopes: ['read'] };
  const system = entry(2, { actor: { kind: 'system', id: null }, actor_name: null, target: 'key 2' });

  // Fails when each opened entry is a step back in the history, or its details are read anew.
  test('opens with its details and is kept in the address', async () => {
    const { clickOn, until, href, text, sent, control, router } = await open(() => pageOf([entry(1, { details })]));
    const steps = router.history.length;
    await clickOn(/API key created/);
    await until(() => expect(text()).toContain('"scopes"'));
    expect([href(), control(/API key created/).getAttribute('aria-expanded')]).toEqual(['/audit?entry=aud_1', 'true']);
    await clickOn(/API key created/);
    await until(() => expect(href()).toBe('/audit'));
    expect([router.history.length, sent(AUDIT).length]).toEqual([steps, 1]);
  });

  // Fails when the platform, which has no id, filters for anyone.
  test.each([
    ['Only this action', '/audit?action=key.create&entry=aud_2'],
    ['Only this target', '/audit?target=key+2&entry=aud_2'],
    ['Only by Berth', '/audit?actor=system&entry=aud_2'],
  ])('narrows the list: %s', async (label, address) => {
    const { clickOn, until, href } = await open(() => pageOf([system, entry(1)]), '?entry=aud_2');
    await clickOn(label);
    await until(() => expect(href().replaceAll('%20', '+')).toBe(address));
  });

  // Fails when an id is shown where there is a name, or can't be copied.
  test('names its action, target and actor, and has their ids to copy', async () => {
    const copied: string[] = [];
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => copied.push(text) } });
    const changes = { action: 'member.change', target: 'usr_2', target_name: 'Bob' };
    const { clickOn, until, controls, text } = await open(
      () =>
        pageOf([
          entry(1, changes),
          entry(2, { action: 'volume.upload', target: 'media', details: { path: 'a/b.txt' } }),
        ]),
      '?entry=aud_1',
    );
    await until(() =>
      expect(controls().find((name) => name.includes('Bob'))).toMatch(/Member role changed.*Bob.*Ada/s),
    );
    expect(controls().find((name) => name.includes('Upload started'))).toContain('media/a/b.txt');
    expect(text()).not.toMatch(/usr_|member\.change/);
    for (const id of ['usr_2', 'usr_1', 'member.change', 'aud_1']) {
      await clickOn(`Copy ID ${id}`);
      expect(copied.at(-1)).toBe(id);
    }
  });

  // Fails when something is left out of the copy, by which people prove what was done.
  test('is copied whole', async () => {
    const copied: string[] = [];
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => copied.push(text) } });
    const { clickOn, until } = await open(() => pageOf([entry(1, { details })]), '?entry=aud_1');
    await clickOn('Copy as JSON');
    await until(() => expect(copied).toHaveLength(1));
    expect(JSON.parse(copied[0] ?? '')).toEqual(entry(1, { details }));
  });
});

describe('the download', () => {
  // Fails when the file has the entries that are shown instead of all, or ignores the filters.
  test('has all entries that match', async () => {
    const files = watchDownloads();
    const { clickOn, until, sent } = await open(
      ({ page_token: token }) => (token === undefined ? pageOf([entry(2)], 'p2') : pageOf([entry(1)])),
      '?action=key',
    );
    await clickOn('Download CSV');
    await until(() => expect(files.map(({ name }) => name)).toEqual(['audit.csv']));
    expect((await files[0]?.text)?.match(/aud_\d/g)).toEqual(['aud_2', 'aud_1']);
    expect(sent(AUDIT).slice(-2)).toEqual([
      { action: 'key', limit: 1_000 },
      { action: 'key', limit: 1_000, page_token: 'p2' },
    ]);
  });

  // Fails when a file that isn't whole is saved, or the failure goes unnoticed.
  test('that fails saves nothing and says why', async () => {
    const files = watchDownloads();
    const { clickOn, until, text, control } = await open(({ limit }) => {
      if (limit === 1_000) throw createError('unavailable', 'The database is busy.');
      return pageOf([entry(1)]);
    });
    await clickOn('Download CSV');
    await until(() => expect(text()).toContain('The database is busy.'));
    expect(files).toEqual([]);
    expect(control('Download CSV').disabled).toBe(false);
  });

  // Fails when a second press begins a second download instead of ending the first, or an ended one is reported.
  test('is stopped by a second press', async () => {
    const files = watchDownloads();
    const asked: AbortSignal[] = [];
    const page = await openView(createElement(AuditPage), {
      answers: {
        [AUDIT]: ({ query, signal }) => {
          if (query['limit'] !== 1_000) return pageOf([entry(1)]);
          asked.push(signal as AbortSignal);
          return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        },
      },
    });
    await page.clickOn('Download CSV');
    await page.clickOn('0 lines. Stop');
    await page.until(() => expect(page.controls()).toContain('Download CSV'));
    expect([asked.length, asked[0]?.aborted, files]).toEqual([1, true, []]);
    expect(page.text()).not.toMatch(/abort/i);
  });
});

// @vitest-environment happy-dom
import type { SessionRow } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { openView, say } from '../../testing/open-view.ts';
import { SessionsPage } from './sessions-page.tsx';

const LIST = 'GET /v1/user/sessions';
const END = 'DELETE /v1/user/sessions';
const END_OTHERS = 'POST /v1/user/sessions/end-others';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const session = (id: string, changes: Partial<SessionRow> = {}) =>
  ({
    ...{ id, user_agent: FIREFOX, address: '203.0.113.7', created_at: '2026-01-01T00:00:00Z', last_used_at: null },
    ...{ is_current: false, ...changes },
  }) as SessionRow;

async function open(...rows: readonly SessionRow[]) {
  const answers = { [LIST]: () => rows, [END]: () => ({}), [END_OTHERS]: () => ({}) };
  return openView(createElement(SessionsPage), { answers });
}

describe('sessions', () => {
  // Fails when the person can end the session of the page itself, which would lock them out in the middle of it.
  test('can be ended, but for the one of this browser', async () => {
    const view = await open(session('a', { is_current: true }), session('b'));
    const buttons = view
      .all('row')
      .map((row) => [...row.querySelectorAll('button')].filter((button) => button.textContent !== ''));
    expect(buttons.map(({ length }) => length)).toEqual([0, 0, 1]);
    expect(view.all('row')[1]?.textContent).toContain(say('sessions.current'));
    for (const button of buttons.flat()) await view.click(button);
    expect(view.sent(END)).toEqual([]);
    await view.click(view.get('button', say('sessions.end')));
    expect([view.sent(END), view.sent(END_OTHERS)]).toEqual([[{ id: 'b' }], []]);
    expect(view.sent(LIST)).toHaveLength(2);
  });

  // Fails when ending the others ends one of them, or this one.
  test('besides this one are ended together', async () => {
    const view = await open(session('a', { is_current: true }), session('b'), session('c'));
    await view.click(view.get('button', say('sessions.endOthers')));
    await view.click(view.get('button', say('sessions.endOthers')));
    expect([view.sent(END), view.sent(END_OTHERS).length]).toEqual([[], 1]);
  });

  test('offer no ending of others where there are none', async () => {
    const view = await open(session('a', { is_current: true }));
    expect(view.find('button', say('sessions.endOthers'))).toBeUndefined();
  });

  // Fails when a header of a stranger's program is shown as markup or as nothing.
  test.each([
    [FIREFOX, 'Firefox'],
    ['my-script/1.0', 'my-script/1.0'],
    ['', 'Unknown'],
    [null, 'Unknown'],
  ])('by %j are named %j', async (user_agent, shown) => {
    const view = await open(session('a', { user_agent }));
    expect(view.all('cell')[0]?.textContent).toContain(shown);
  });
});

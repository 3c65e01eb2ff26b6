// @vitest-environment happy-dom
import type { FileEntry } from '@berth/contract/agent';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { ConnectionLost, FileTooLarge } from '../../api/put-file.ts';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { FileBrowserView } from './file-browser-view.tsx';

const entry = (path: string, fields: Partial<FileEntry> = {}): FileEntry => ({
  ...{ path, name: path.split('/').at(-1) ?? '', type: 'file', kind: 'other', size: 1 },
  ...{ modified: '2026-01-01T00:00:00.000Z', ...fields },
});
const FOLDER = entry('docs', { type: 'directory', kind: 'directory' });
const ALL = 'GET /files?path=&sort=name';

/** The files of a workspace, shown from its root. */
async function open(entries: readonly FileEntry[] = [FOLDER, entry('a.txt'), entry('b.txt')]) {
  const screen = await openChatScreen(createElement('div'));
  screen.agent.on(ALL, entries);
  await screen.showInside(createElement(FileBrowserView));
  /** The names of the rows, top to bottom. */
  const names = () => screen.all('listitem').map((one) => one.querySelector('[title]')?.getAttribute('title'));
  const row = (name: string) => {
    const button = screen
      .all('listitem')
      .find((one) => one.querySelector(`[title="${name}"]`))
      ?.querySelector('button');
    if (!button) throw new Error(`no row ${name}`);
    return button;
  };
  /** An element of the pane, on which files are dropped. */
  const pane = () => screen.get('searchbox', t('files.search'));
  const changes = () => screen.agent.calls.filter(({ call }) => !call.startsWith('GET'));
  return { ...screen, changes, names, pane, row };
}

describe('a list of files', () => {
  it('is one tab stop, and the arrows move through it', async () => {
    const { browser, key, names, row } = await open();
    expect(names()).toEqual(['docs', 'a.txt', 'b.txt']);
    const stops = () => names().filter((name) => row(name ?? '').getAttribute('tabindex') === '0');
    expect(stops()).toEqual(['docs']);
    for (const [pressed, focused] of [
      ['ArrowDown', 'a.txt'],
      ['End', 'b.txt'],
      ['ArrowDown', 'b.txt'],
      ['Home', 'docs'],
    ] as const) {
      const { defaultPrevented } = await key(
        browser.document.activeElement?.tagName === 'BUTTON' ? browser.document.activeElement : row('docs'),
        pressed,
      );
      expect([pressed, stops(), defaultPrevented]).toEqual([pressed, [focused], true]);
    }
    expect(browser.document.activeElement).toBe(row('docs'));
  });

  it('leaves keys with Ctrl to the browser', async () => {
    const { key, row } = await open();
    expect((await key(row('docs'), 'End', { ctrlKey: true })).defaultPrevented).toBe(false);
    expect(row('docs').getAttribute('tabindex')).toBe('0');
  });

  it('tells screen readers how long it is', async () => {
    const { all } = await open();
    expect(all('listitem').map((one) => [one.getAttribute('aria-posinset'), one.getAttribute('aria-setsize')])).toEqual(
      [
        ['1', '3'],
        ['2', '3'],
        ['3', '3'],
      ],
    );
  });

  it('opens folders, and returns by the path above the list', async () => {
    const { agent, get, names, press, row, run } = await open();
    agent.on('GET /files?path=docs&sort=name', [entry('docs/c.txt')]);
    agent.on(ALL, [FOLDER]);
    await run(() => row('docs').click());
    expect(names()).toContain('c.txt');
    expect(get('button', 'docs').getAttribute('aria-current')).toBe('page');
    await press(t('files.root'));
    expect(names()).toEqual(['docs']);
  });

  it('says why it could not be read, and reads again', async () => {
    const screen = await openChatScreen(createElement('div'));
    screen.agent.on(ALL, new ApiError(503, 'Try again later.'), [entry('a.txt')]);
    await screen.showInside(createElement(FileBrowserView));
    expect(screen.get('alert').textContent).toContain('Try again later.');
    await screen.press('Try again');
    expect([screen.has('alert'), screen.text().includes('a.txt')]).toEqual([false, true]);
  });

  it('says that it is empty', async () => {
    expect((await open([])).text()).toContain(t('files.empty'));
  });
});

describe('a preview', () => {
  it('takes the focus, and Escape goes back to the row that it was opened from', async () => {
    const { agent, browser, has, key, row, run } = await open();
    await run(() => row('a.txt').click());
    expect(has('region', 'a.txt')).toBe(true);
    const focused = browser.document.activeElement;
    expect(focused).not.toBe(browser.document.body);
    agent.on(ALL, [FOLDER, entry('a.txt'), entry('b.txt')]);
    const { isStopped } = await key(focused, 'Escape');
    // The page's own Escape would close the pane as well.
    expect([isStopped, has('region', 'a.txt')]).toEqual([true, false]);
    expect(browser.document.activeElement).toBe(row('a.txt'));
  });

  it('deletes its file, and Undo restores it', async () => {
    const { agent, changes, has, press, row, run, text } = await open();
    agent.on('DELETE /files/a.txt', { trash_id: 't1' });
    agent.on('POST /trash/t1/restore', { ok: true, path: 'a.txt' });
    agent.on(ALL, [FOLDER], [FOLDER, entry('a.txt')]);
    await run(() => row('a.txt').click());
    await press(t('files.delete'));
    expect(has('region', 'a.txt')).toBe(false);
    expect(text()).toContain(t('files.deleted', { name: 'a.txt' }));
    await press(t('chats.undo'));
    expect(changes().map(({ call }) => call)).toEqual(['DELETE /files/a.txt', 'POST /trash/t1/restore']);
  });

  // Fails when the error is dropped: the person would think that the file is gone.
  it('shows why its file could not be deleted, and stays open', async () => {
    const { agent, has, press, row, run, text } = await open();
    agent.on('DELETE /files/a.txt', new ApiError(403, 'Only admins may do this.'));
    agent.on(ALL, [FOLDER, entry('a.txt')]);
    await run(() => row('a.txt').click());
    await press(t('files.delete'));
    expect(text()).toContain('Only admins may do this.');
    expect(has('region', 'a.txt')).toBe(true);
  });

  it('says that its file could not be downloaded', async () => {
    const screen = await openChatScreen(createElement('div'), {
      readFile: async () => {
        throw new ApiError(404, 'No such file.');
      },
    });
    screen.agent.on(ALL, [entry('a.zip', { kind: 'archive' })]);
    await screen.showInside(createElement(FileBrowserView));
    await screen.run(() => screen.all('listitem')[0]?.querySelector('button')?.click());
    await screen.press(t('files.download'));
    expect(screen.text()).toContain('No such file.');
  });
});

describe('uploads', () => {
  const file = (name: string, path = '') => Object.assign(new File(['x'], name), { webkitRelativePath: path });
  const drop = (...files: readonly File[]) => ({ dataTransfer: { items: [], files } });

  // Fails when the folder is read when the upload starts: a file would land in the folder that is open by then.
  it('go into the folder that they were dropped in', async () => {
    const { agent, fire, pane, puts, row, run } = await open();
    agent.on('GET /files?path=docs&sort=name', [entry('docs/c.txt')]);
    await run(() => row('docs').click());
    await fire(pane(), 'drop', drop(file('1'), file('2'), file('3'), file('4')));
    agent.on(ALL, [FOLDER]);
    await run(() => puts[0]?.arrive());
    expect(puts.map(({ url }) => url)).toEqual(['/files/docs/1', '/files/docs/2', '/files/docs/3', '/files/docs/4']);
  });

  it('keep the folders of a folder that was chosen', async () => {
    const { all, choose, puts } = await open();
    const [picker] = all('file', t('files.chooseFolder'));
    await choose(picker, file('x.txt', 'trip/day 1/x.txt'));
    expect([puts.map(({ url }) => url), picker?.value]).toEqual([['/files/trip/day%201/x.txt'], '']);
  });

  it('are read in the list once the last one has arrived', async () => {
    const { agent, fire, names, pane, puts, run } = await open();
    await fire(pane(), 'drop', drop(file('c.txt'), file('d.txt')));
    agent.on(ALL, [entry('c.txt'), entry('d.txt')]);
    await run(() => puts[0]?.arrive());
    expect(agent.calls.filter(({ call }) => call === ALL)).toHaveLength(1);
    await run(() => puts[1]?.arrive());
    expect(names()).toEqual(['c.txt', 'd.txt']);
  });

  it.each([
    ['the connection broke', new ConnectionLost('x'), () => t('files.lost'), true],
    ['it is too large', new FileTooLarge(), () => t('compose.tooLarge', { count: '1' }), false],
    ['the agent refused it', new ApiError(507, 'The disk is full.'), () => 'The disk is full.', true],
  ])('show that %s, and offer a retry where one can help', async (_name, error, said, canRetry) => {
    const { agent, fire, get, has, pane, press, puts, run } = await open();
    agent.on(ALL, [], []);
    await fire(pane(), 'drop', drop(file('c.txt')));
    await run(() => puts[0]?.fail(error));
    expect(get('alert').textContent).toBe(said());
    expect(has('button', t('files.again'))).toBe(canRetry);
    if (canRetry) {
      await press(t('files.again'));
      expect([puts.length, has('alert')]).toEqual([2, false]);
    }
    await press(t(canRetry ? 'files.cancel' : 'files.calledOff', { name: 'c.txt' }));
    expect(has('list', t('files.uploads'))).toBe(false);
  });

  // Fails when a path that leads out of the files is sent, or drops the files beside it.
  it('reject an invalid name, and send the other files', async () => {
    const { agent, fire, get, pane, puts } = await open();
    agent.on(ALL, []);
    await fire(pane(), 'drop', drop(file('..'), file('ok.txt')));
    expect(puts.map(({ url }) => url)).toEqual(['/files/ok.txt']);
    expect(get('alert').textContent).toContain('is not the path of a file');
  });

  it('beyond six are counted', async () => {
    const { fire, get, pane } = await open();
    await fire(pane(), 'drop', drop(...Array.from({ length: 8 }, (_, index) => file(`f${index}`))));
    expect(get('list', t('files.uploads')).lastElementChild?.textContent).toBe('+2');
  });
});

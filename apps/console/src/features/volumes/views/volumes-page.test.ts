// @vitest-environment happy-dom
import { createError, type Volume } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { type OpenSetup, OWNER, openView } from '../../../testing/open-view.ts';
import { VolumesPage } from './volumes-page.tsx';

const volume = (name: string, attached_to: readonly string[] = []) =>
  ({ name, size_bytes: 1_536, object_count: 2, attached_to, created_at: '2026-01-01T00:00:00Z' }) as unknown as Volume;
const DELETED = { name: 'old', size_bytes: 10, restorable_until: '2026-02-01T00:00:00Z' };

async function open(volumes: readonly Volume[], answers: OpenSetup['answers'] = {}, deleted: readonly object[] = []) {
  return openView(createElement(VolumesPage), {
    cached: [[QUERY_KEYS.user, OWNER]],
    answers: { 'GET /v1/volume/list': () => volumes, 'GET /v1/volume/deleted': () => deleted, ...answers },
  });
}

describe('a volume', () => {
  test('is listed with its size, and with the deployments that mount it', async () => {
    const view = await open([volume('media', ['shop', 'blog']), volume('logs')]);
    expect(view.text()).toContain('1.5 KiB');
    expect(view.all('link').map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining(['media', 'shop', 'blog', 'logs'].map((name) => expect.stringContaining(name))),
    );
  });

  // Fails when a volume can be deleted without its name.
  test('is deleted after its name was typed, and can be restored at once', async () => {
    const view = await open([volume('media')], {
      'POST /v1/volume/delete': () => ({}),
      'POST /v1/volume/restore': () => ({}),
    });
    await view.click(view.get('button', 'Delete volume: media'));
    await view.click(view.get('button', 'Delete volume'));
    expect(view.sent('POST /v1/volume/delete')).toEqual([]);
    await view.fill(view.field('Type media to confirm'), 'media');
    await view.click(view.get('button', 'Delete volume'));
    expect(view.sent('POST /v1/volume/delete')).toEqual([{ name: 'media' }]);
    expect(view.find('alertdialog')).toBeUndefined();
    await view.click(view.get('button', 'Restore'));
    expect(view.sent('POST /v1/volume/restore')).toEqual([{ name: 'media' }]);
    expect(view.text()).toContain('Volume media restored');
  });

  // Fails when the dialog closes on a refusal: people would think that the volume is gone.
  test('that is mounted stays, with the reason', async () => {
    const view = await open([volume('media', ['shop'])], {
      'POST /v1/volume/delete': () => {
        throw createError('conflict', 'Volume media is mounted by shop.');
      },
    });
    await view.click(view.get('button', 'Delete volume: media'));
    await view.fill(view.field('Type media to confirm'), 'media');
    await view.click(view.get('button', 'Delete volume'));
    expect(view.get('alert').textContent).toContain('Volume media is mounted by shop.');
    expect(view.find('alertdialog')).toBeDefined();
  });

  // Fails when a failed undo says nothing: the volume would be lost unnoticed.
  test('that can’t be restored says why', async () => {
    const view = await open([volume('media')], {
      'POST /v1/volume/delete': () => ({}),
      'POST /v1/volume/restore': () => {
        throw createError('conflict', 'The name media is taken.');
      },
    });
    await view.click(view.get('button', 'Delete volume: media'));
    await view.fill(view.field('Type media to confirm'), 'media');
    await view.click(view.get('button', 'Delete volume'));
    await view.click(view.get('button', 'Restore'));
    expect(view.text()).toContain('The name media is taken.');
  });
});

describe('deleted volumes', () => {
  test('are restored from their list, which shows a refusal', async () => {
    let attempts = 0;
    const restore = () => {
      attempts++;
      if (attempts === 1) throw createError('unavailable', 'Try again.');
      return {};
    };
    const view = await open([], { 'POST /v1/volume/restore': restore }, [DELETED]);
    const button = () => view.get('button', 'Restore: old');
    await view.click(button());
    expect(view.get('alert').textContent).toContain('Try again.');
    await view.click(button());
    expect(view.find('alert')).toBeUndefined();
    expect(view.sent('POST /v1/volume/restore')).toEqual([{ name: 'old' }, { name: 'old' }]);
  });
});

describe('a new volume', () => {
  test('is created under the name that was typed', async () => {
    const view = await open([volume('logs')], { 'POST /v1/volume/create': () => ({ created: true }) });
    await view.click(view.get('button', 'Create volume'));
    await view.fill(view.field('Name'), 'media');
    await view.press('Enter');
    expect(view.sent('POST /v1/volume/create')).toEqual([{ name: 'media' }]);
    expect(view.find('dialog', 'Create volume')).toBeUndefined();
    // The list is read anew.
    expect(view.sent('GET /v1/volume/list').length).toBe(2);
  });

  // Fails when a refusal closes the dialog, or loses what was typed.
  test('that is refused keeps what was typed, with the reason at the field', async () => {
    const issues = [{ loc: ['body', 'name'], msg: 'only lower-case letters' }];
    const view = await open([volume('logs')], {
      'POST /v1/volume/create': () => {
        throw createError('invalid', 'The request is invalid.', { details: { issues } });
      },
    });
    await view.click(view.get('button', 'Create volume'));
    await view.fill(view.field('Name'), 'Média');
    await view.press('Enter');
    expect(view.field('Name').value).toBe('Média');
    expect(view.text()).toContain('only lower-case letters');
  });
});

describe('the search', () => {
  test('appears when there are many, and finds by a part of the name', async () => {
    const names = ['alpha', 'beta', 'gamma', 'delta', 'media'];
    const few = await open(names.slice(1).map((name) => volume(name)));
    expect(few.all('searchbox')).toEqual([]);
    await few.unmount();
    const view = await open(names.map((name) => volume(name)));
    const search = view.field('Search volumes');
    await view.fill(search, ' MED ');
    expect(view.all('row')).toHaveLength(2);
    await view.fill(search, 'zzz');
    expect(view.find('table')).toBeUndefined();
    expect(view.text()).toContain('zzz');
  });
});

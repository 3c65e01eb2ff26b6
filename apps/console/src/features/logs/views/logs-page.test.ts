// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type OpenSetup, openView, say } from '../../../testing/open-view.ts';
import { LogsPage } from './logs-page.tsx';

const LOGS = 'POST /v1/deployment/logs';
const COUNTS = 'POST /v1/deployment/logs/histogram';
const LIST = 'GET /v1/deployment/list';
const ENTRIES = [
  { timestamp: '2026-01-10T11:59:00.000000001Z', severity: 'INFO', message: 'first' },
  { timestamp: '2026-01-10T11:59:30.000000001Z', severity: 'ERROR', message: 'second' },
];

afterEach(() => {
  vi.restoreAllMocks();
});

/** Answers with all entries, and with none to whoever asks for older ones. */
const readLogs = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => ({
  logs: String(body['query']).includes('timestamp<"') ? [] : ENTRIES,
});

const open = (at: string, answers: OpenSetup['answers'] = {}) =>
  openView(createElement(LogsPage), {
    address: at,
    answers: {
      [LIST]: () => [{ name: 'shop' }, { name: 'blog' }],
      [LOGS]: readLogs,
      [COUNTS]: () => ({ buckets: [], total: 2, counted_until: null }),
      ...answers,
    },
  });

const parameters = (view: { address(): string }) =>
  Object.fromEntries(new URL(view.address(), 'http://berth.test').searchParams);

describe('the log that is shown', () => {
  test('is that of the first deployment by name, unless the address names one', async () => {
    const first = await open('/logs');
    expect(first.sent(LOGS)[0]).toMatchObject({ deployment_name: 'blog' });
    await first.unmount();
    const named = await open('/logs?deployment=shop');
    expect(named.sent(LOGS)[0]).toMatchObject({ deployment_name: 'shop' });
  });

  // Fails when the log of a deployment that was deleted can't be read any more.
  test('may be that of a deployment that is gone', async () => {
    const view = await open('/logs?deployment=gone');
    expect(view.sent(LOGS)[0]).toMatchObject({ deployment_name: 'gone' });
  });

  test('is none where nothing was deployed, and says how to deploy', async () => {
    const view = await open('/logs', { [LIST]: () => [] });
    expect(view.get('heading', say('logs.none.title'))).toBeDefined();
    expect(view.sent(LOGS)).toEqual([]);
  });

  // Fails when a list that couldn't be read looks like an account without deployments.
  test('can be asked for again when the deployments couldn’t be read', async () => {
    let isDown = true;
    const list = () => {
      if (isDown) throw createError('unavailable', 'Not now.');
      return [{ name: 'shop' }];
    };
    const view = await open('/logs', { [LIST]: list });
    expect(view.get('alert').textContent).toContain('Not now.');
    isDown = false;
    await view.click(view.get('button', 'Try again'));
    expect(view.sent(LOGS)[0]).toMatchObject({ deployment_name: 'shop' });
  });
});

describe('a change of the view', () => {
  // Fails when the other parts of the address are lost with it.
  test('keeps the rest of the address, and reads the log anew', async () => {
    const view = await open('/logs?deployment=shop&range=24h&severity=ERROR');
    await view.fill(view.field(say('logs.filter')), 'refused');
    await view.press('Enter');
    expect(parameters(view)).toEqual({ deployment: 'shop', range: '24h', severity: 'ERROR', filter: 'refused' });
    expect(JSON.stringify(view.sent(LOGS))).toContain('refused');
  });

  // Fails when an answer for the view before is shown in the next one.
  test('ends what the view before has asked for', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const view = await open('/logs?deployment=shop', {
      [LOGS]: ({ signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    await view.fill(view.field(say('logs.filter')), 'refused');
    await view.press('Enter');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  });
});

describe('what the server says', () => {
  // Fails when the problem of a filter is a red box without a place, and entries of another filter stay below it.
  test('of a filter is shown at its place, in place of the entries', async () => {
    const refuse = () => {
      const issues = [{ loc: ['body', 'query'], msg: 'expected a value after >=' }];
      throw createError('invalid', 'The request is invalid.', { details: { issues } });
    };
    const view = await open('/logs?deployment=shop&filter=severity%3E%3D', { [LOGS]: refuse });
    const field = view.field(say('logs.filter'));
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(view.all('alert').filter(({ textContent }) => textContent.includes('expected a value'))).toHaveLength(1);
    expect(view.find('group', say('logs.histogram'))).toBeUndefined();
  });

  test('of the log itself can be answered by another try', async () => {
    let isDown = true;
    const read = (call: Parameters<typeof readLogs>[0]) => {
      if (isDown) throw createError('unavailable', 'The logs are being moved.');
      return readLogs(call);
    };
    const view = await open('/logs?deployment=shop', { [LOGS]: read });
    expect(view.text()).toContain('The logs are being moved.');
    isDown = false;
    await view.click(view.get('button', 'Try again'));
    expect(view.text()).not.toContain('The logs are being moved.');
    expect(view.text()).toContain(say('logs.count', { count: 2 }));
  });
});

describe('nothing that fits', () => {
  test('offers a wider view', async () => {
    const view = await open('/logs?deployment=shop&severity=ERROR', { [LOGS]: () => ({ logs: [] }) });
    await view.clickOn('More actions');
    expect(view.controls()).not.toContain(say('logs.download'));
    await view.press('Escape');
    await view.click(view.get('button', say('logs.empty.wider')));
    expect(parameters(view)).toEqual({ deployment: 'shop', range: '30d' });
  });
});

// Fails when the file is in the order of the page, newest first, or has only what fits the window.
test('the download has the entries that are loaded, oldest first', async () => {
  const made: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    made.push(blob as Blob);
    return 'blob:1';
  });
  const view = await open('/logs?deployment=shop');
  await view.clickOn('More actions');
  await view.clickOn(say('logs.download'));
  const lines = ((await made[0]?.text()) ?? '').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(ENTRIES);
});

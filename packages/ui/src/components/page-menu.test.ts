// @vitest-environment happy-dom
import { createElement } from 'react';
import { jsx } from 'react/jsx-runtime';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { NameWithId } from './name-with-id.tsx';
import { PageMenu, type PageMenuProps } from './page-menu.tsx';

const writeText = vi.fn(async (_text: string) => {});
beforeEach(() => {
  writeText.mockClear();
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const command = { cli: 'npx berth ls', http: { method: 'GET', path: '/v1/deployment/list' } } as const;
const open = async (props: PageMenuProps) => {
  const view = await mountPart(createElement(PageMenu, props));
  await view.click(view.get('button', props.label ?? 'More actions'));
  return { ...view, labels: () => view.all('menuitem').map(({ textContent }) => textContent) };
};

describe('an overflow menu', () => {
  // Fails when the commands come before the actions, or no line separates them.
  test('has the actions, then the commands', async () => {
    const onChoose = vi.fn();
    const view = await open({ items: [{ label: 'Delete', isDanger: true, onChoose }], command });
    expect(view.labels()).toEqual(['Delete', 'Copy CLI command', 'Copy as curl']);
    expect(view.all('separator')).toHaveLength(1);
    await view.click(view.get('menuitem', 'Delete'));
    expect(onChoose).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['Copy CLI command', 'npx berth ls'],
    ['Copy as curl', `curl http://berth.test/v1/deployment/list -H "X-API-Key: $BERTH_API_KEY"`],
  ])('copies with “%s”, and says so', async (label, text) => {
    const view = await open({ command });
    await view.click(view.get('menuitem', label));
    expect(writeText.mock.calls).toEqual([[text]]);
    expect(view.text()).toContain('Copied');
  });

  // Fails when a command that the CLI lacks is offered.
  test('offers curl alone where the CLI has no command', async () => {
    const { labels } = await open({ label: 'Actions for shop', command: { http: command.http } });
    expect(labels()).toEqual(['Copy as curl']);
  });

  test('without entries isn’t there', async () => {
    const view = await mountPart(createElement(PageMenu, {}));
    expect(view.all('button')).toEqual([]);
  });
});

// Fails when the id is shown in place of the name, or can't be copied by keyboard.
test('a name has its id as a tooltip and copies it', async () => {
  const view = await mountPart(jsx(NameWithId, { id: 'usr_1', children: 'Ada' }));
  expect(view.text()).toBe('Ada');
  const button = view.get('button', 'Copy ID usr_1');
  await view.focus(button);
  await view.press('Enter');
  expect(writeText.mock.calls).toEqual([['usr_1']]);
  expect(view.get('button', 'Copied')).toBe(button);
});

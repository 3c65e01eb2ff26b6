// @vitest-environment happy-dom
import { createElement, useState } from 'react';
import { jsx } from 'react/jsx-runtime';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { CommandScope, useCommand, useScopedCommands } from './command-scope.tsx';
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

/** A form that can be copied as a command. */
function FormOf({ label }: { readonly label: string }) {
  useCommand({ label, cli: `npx berth ${label}`, http: command.http });
  return null;
}

function Head() {
  return createElement(PageMenu, { commands: [command, ...useScopedCommands()] });
}

/** A page with two forms, one of which can be closed. */
function Page() {
  const [isOpen, setOpen] = useState(true);
  return createElement(
    CommandScope,
    null,
    createElement(Head),
    createElement(FormOf, { label: 'profile' }),
    isOpen && createElement(FormOf, { label: 'password' }),
    createElement('button', { type: 'button', onClick: () => setOpen(false) }, 'Close'),
  );
}

describe('an overflow menu', () => {
  // Fails when what deletes isn't last, or no line separates the kinds.
  test('has the actions, then the commands, then what deletes', async () => {
    const onChoose = vi.fn();
    const view = await open({
      items: [
        { label: 'Delete', isDanger: true, onChoose },
        { label: 'Logs', onChoose },
      ],
      commands: [command],
    });
    expect(view.labels()).toEqual(['Logs', 'Copy CLI command', 'Copy as curl', 'Delete']);
    expect(view.all('separator')).toHaveLength(2);
    await view.click(view.get('menuitem', 'Delete'));
    expect(onChoose).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['Copy CLI command', 'npx berth ls'],
    ['Copy as curl', `curl http://berth.test/v1/deployment/list -H "X-API-Key: $BERTH_API_KEY"`],
  ])('copies with “%s”, and says so', async (label, text) => {
    const view = await open({ commands: [command] });
    await view.click(view.get('menuitem', label));
    expect(writeText.mock.calls).toEqual([[text]]);
    expect(view.text()).toContain('Copied');
  });

  // Fails when the address isn't the page's own, or a credential is written out.
  test.each([
    [undefined, 'X-API-Key: $BERTH_API_KEY'],
    ['session', 'Authorization: Bearer $BERTH_SESSION_TOKEN'],
    ['bearer', 'Authorization: Bearer $BERTH_AGENT_TOKEN'],
  ] as const)('copies curl with the credential %s as a variable', async (secret, header) => {
    const http = { method: 'POST', path: '/v1/volume/create', body: { name: 'media' } } as const;
    const view = await open({ commands: [{ http, secret }] });
    await view.click(view.get('menuitem', 'Copy as curl'));
    const [[line = ''] = []] = writeText.mock.calls;
    expect(line).toMatch(/^curl -X POST http:\/\/berth\.test\/v1\/volume\/create /);
    expect(line).toContain(`"${header}"`);
    expect(line).toContain(`'{"name":"media"}'`);
  });

  // Fails when a form on a page can't be copied as a command, a heading is missing, or a form that is gone is still offered.
  test('offers the commands of the forms that are shown, under their names', async () => {
    const view = await mountPart(createElement(Page));
    await view.click(view.get('button', 'More actions'));
    expect(view.all('group').map(({ textContent }) => textContent)).toEqual([
      'Copy CLI commandCopy as curl',
      ...['profileCopy CLI commandCopy as curl', 'passwordCopy CLI commandCopy as curl'],
    ]);
    await view.click(view.all('menuitem', 'Copy CLI command')[2] as HTMLElement);
    expect(writeText.mock.calls).toEqual([['npx berth password']]);
    await view.click(view.get('button', 'Close'));
    await view.click(view.get('button', 'More actions'));
    expect(view.all('group')).toHaveLength(2);
  });

  // Fails when a command that the CLI lacks is offered.
  test('offers curl alone where the CLI has no command', async () => {
    const { labels } = await open({ label: 'Actions for shop', commands: [{ http: command.http }] });
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

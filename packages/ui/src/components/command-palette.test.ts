// @vitest-environment happy-dom
import { Server } from 'lucide-react';
import { createElement, useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { CommandPalette, type CommandPaletteProps, type PaletteItem } from './command-palette.tsx';

const NAMES = ['Deployments', 'Logs', 'Theme: Dark', 'Theme: Light'];

type PageProps = Pick<CommandPaletteProps, 'items'> & Required<Pick<CommandPaletteProps, 'onQuery'>>;

function Page(props: PageProps) {
  const [isOpen, onOpenChange] = useState(true);
  return createElement(CommandPalette, { isOpen, onOpenChange, ...props });
}

async function open(items: readonly Partial<PaletteItem>[] = NAMES.map((label) => ({ label }))) {
  const chosen = vi.fn();
  const onQuery = vi.fn();
  const whole = items.map(({ label = '', ...more }) => ({
    ...{ value: label, label, icon: Server, onChoose: () => chosen(label) },
    ...more,
  }));
  const view = await mountPart(createElement(Page, { items: whole, onQuery }));
  return {
    view,
    chosen,
    onQuery,
    type: (text: string) => view.fill(view.field('Command palette'), text),
    shown: () => view.all('option').map(({ textContent }) => textContent),
  };
}

describe('the command palette', () => {
  test('begins in its field, with everything there is', async () => {
    const { view, shown } = await open();
    expect(view.document.activeElement).toBe(view.field('Command palette'));
    expect(shown()).toEqual(NAMES);
  });

  // Fails when case counts, or only beginnings match.
  test.each([
    ['dep', ['Deployments']],
    ['LOG', ['Logs']],
    ['dark', ['Theme: Dark']],
    ['theme', ['Theme: Dark', 'Theme: Light']],
  ])('finds by %j what contains it', async (text, found) => {
    const { type, shown } = await open();
    await type(text);
    expect(shown()).toEqual(found);
  });

  // Fails when nothing is highlighted until an arrow key is pressed.
  test('does the first match on Enter, and closes before', async () => {
    const { view, type, chosen } = await open();
    await type('the');
    await view.press('Enter');
    expect(chosen.mock.calls).toEqual([['Theme: Dark']]);
    expect(view.find('dialog')).toBeUndefined();
  });

  test('goes on by arrow keys', async () => {
    const { view, type, chosen } = await open();
    await type('the');
    await view.press('ArrowDown');
    await view.press('Enter');
    expect(chosen.mock.calls).toEqual([['Theme: Light']]);
  });

  test('does what is clicked', async () => {
    const { view, chosen } = await open();
    await view.click(view.get('option', 'Logs'));
    expect(chosen.mock.calls).toEqual([['Logs']]);
    expect(view.find('dialog')).toBeUndefined();
  });

  test('is left by Escape', async () => {
    const { view, chosen } = await open();
    await view.press('Escape');
    expect(view.find('dialog')).toBeUndefined();
    expect(chosen).not.toHaveBeenCalled();
  });

  test('says when nothing matches, and Enter does nothing then', async () => {
    const { view, type, chosen } = await open();
    await type('nothing like this');
    expect(view.text()).toContain('Nothing matches.');
    await view.press('Enter');
    expect(chosen).not.toHaveBeenCalled();
  });
});

describe('items of a search', () => {
  // Fails when the query isn't handed on, or what the search found has to contain it.
  test('are shown whatever their name is', async () => {
    const { type, shown, onQuery } = await open([{ label: 'Logs' }, { label: 'Minutes of May', isFound: true }]);
    await type('budget');
    expect(onQuery).toHaveBeenLastCalledWith('budget');
    expect(shown()).toEqual(['Minutes of May']);
  });
});

describe('an object', () => {
  const items = () => {
    const restart = vi.fn();
    const actions = () => [{ label: 'Restart', icon: Server, onChoose: restart }];
    return {
      restart,
      list: [
        { label: 'Keys', group: 'Pages' },
        { label: 'shop', group: 'Services', actions },
      ],
    };
  };

  test('stands below the heading of its kind, the kind of the first match first', async () => {
    const { view } = await open(items().list);
    expect(view.all('group').map(({ textContent }) => textContent)).toEqual(['PagesKeys', 'Servicesshop']);
  });

  // Fails when the keyboard can't reach the actions, or comes back to another query.
  test('that is highlighted lists its actions after the arrow key', async () => {
    const { list, restart } = items();
    const { view, type, shown, chosen, onQuery } = await open(list);
    await type('sho');
    await view.press('ArrowRight');
    expect([shown(), view.field('Command palette').value]).toEqual([['Restart'], '']);
    await view.press('Backspace');
    expect([shown(), view.field('Command palette').value]).toEqual([['shop'], 'sho']);
    await view.press('ArrowRight');
    await type('res');
    expect(onQuery).toHaveBeenLastCalledWith('sho');
    await view.press('Enter');
    expect([restart.mock.calls.length, chosen.mock.calls.length]).toEqual([1, 0]);
    expect(view.find('dialog')).toBeUndefined();
  });

  test('without actions stays highlighted', async () => {
    const { view, type, shown } = await open(items().list);
    await type('key');
    await view.press('ArrowRight');
    expect(shown()).toEqual(['Keys']);
  });
});

// Fails when thousands of items are rendered, or an item beyond the limit can't be found.
test('many items are found by typing, and only some of them are rendered', async () => {
  const { type, shown } = await open(Array.from({ length: 200 }, (_, index) => ({ label: `item ${index}` })));
  expect(shown()).toHaveLength(60);
  await type('item 199');
  expect(shown()).toEqual(['item 199']);
});

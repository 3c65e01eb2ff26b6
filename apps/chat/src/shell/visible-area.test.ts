import { expect, it } from 'vitest';
import { followVisibleArea } from './visible-area.ts';

it('tells how much of the window a keyboard leaves', () => {
  const viewport = Object.assign(new EventTarget(), { height: 800, offsetTop: 0, scale: 1 });
  const style = new Map<string, string>();
  const end = followVisibleArea(
    viewport,
    {
      setProperty: (name, value) => void style.set(name, String(value)),
      removeProperty: (name) => (style.delete(name) ? name : ''),
    },
    () => 800,
  );
  const show = (fields: Partial<typeof viewport>) => {
    Object.assign(viewport, fields);
    viewport.dispatchEvent(new Event('resize'));
    return Object.fromEntries(style);
  };
  expect(show({})).toEqual({});
  expect(show({ height: 460.4, offsetTop: 40 })).toEqual({
    '--visible-height': '460px',
    '--visible-shift': 'translateY(40px)',
    '--keyboard-height': '300px',
  });
  // A toolbar, and somebody who has zoomed in, are no keyboard.
  expect(show({ height: 760, offsetTop: 0 })).toEqual({});
  expect(show({ height: 400, scale: 2 })).toEqual({});
  end();
  expect(show({ height: 460, scale: 1 })).toEqual({});
});

import { expect, it } from 'vitest';
import { hiddenSides } from './scroll-box.tsx';

it.each([
  [0, false, ['right']],
  [50, false, ['left', 'right']],
  [99.6, false, ['left']],
  [0, true, ['left']],
  [-50, true, ['left', 'right']],
  [-100, true, ['right']],
])('names the sides with more at %d, from right to left: %s', (scrollLeft, isRightToLeft, sides) => {
  expect(hiddenSides({ scrollLeft, scrollWidth: 300, clientWidth: 200 }, isRightToLeft)).toEqual(sides);
  expect(hiddenSides({ scrollLeft: 0, scrollWidth: 200, clientWidth: 200 }, isRightToLeft)).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { hiddenSides } from './use-scroll-edges.ts';

describe('hiddenSides', () => {
  const row = (scrollLeft: number, scrollWidth = 600) => ({ scrollLeft, scrollWidth, clientWidth: 400 });

  it('names the sides where content is out of view', () => {
    expect(hiddenSides(row(0), false)).toBe('right');
    expect(hiddenSides(row(100), false)).toBe('left right');
    expect(hiddenSides(row(199.5), false)).toBe('left');
    expect(hiddenSides(row(0, 400), false)).toBe('');
  });

  it('knows that right-to-left rows begin at the right', () => {
    expect(hiddenSides(row(0), true)).toBe('left');
    expect(hiddenSides(row(-100), true)).toBe('left right');
    expect(hiddenSides(row(-200), true)).toBe('right');
  });
});

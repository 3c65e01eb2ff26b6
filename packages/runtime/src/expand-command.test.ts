import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeElement, expandCommand } from './expand-command.ts';

describe('expandCommand', () => {
  test.each([
    ['$PORT', '8080'],
    [`0.0.0.0:\${PORT}`, '0.0.0.0:8080'],
    ['$PORTS', ''],
    ['$constructor$toString', ''],
    ['$$PORT', '$PORT'],
    ['$$$PORT', '$8080'],
    ['100$ and $', '100$ and $'],
    [`\${PORT`, `\${PORT`],
    ['$1$?', '$1$?'],
    ['$LOOP', '$PORT; rm -rf "$HOME"'],
  ])('%s becomes %s', (element, expected) => {
    expect(expandCommand([element], { PORT: '8080', LOOP: '$PORT; rm -rf "$HOME"' })).toEqual([expected]);
  });

  test('an escaped element comes back as it was', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(expandCommand([escapeElement(text)], { PORT: '8080', a: 'x' })).toEqual([text]);
      }),
    );
  });
});

// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest';
import { compileComponent, runComponent } from './run-component.ts';

const run = (code: string, element = document.createElement('div')) => {
  runComponent(compileComponent(code), element);
  return element;
};

describe('a component', () => {
  it('of TSX runs with its hooks', async () => {
    const element = run(
      "import { useState } from 'react';\nexport default function A() { const [a] = useState<number>(2); return <b>{a}</b>; }",
    );
    await vi.waitFor(() => expect(element.innerHTML).toBe('<b>2</b>'));
  });

  it.each([
    ['a syntax error with its line', 'export default function A() {\n  return <b>;\n}', /\(3:|\(2:/],
    [
      'a module that does not exist',
      "import x from 'recharts';\nexport default x;",
      'The module "recharts" is not available.',
    ],
    ['the name of a prototype as a module', "import x from 'constructor';\nexport default x;", 'not available'],
    ['no component', 'export default 1;', 'no default export that is a component'],
  ])('reports %s', (_name, code, message) => {
    expect(() => run(code)).toThrow(message);
  });
});

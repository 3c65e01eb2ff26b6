import * as react from 'react';
import * as jsxRuntime from 'react/jsx-runtime';
import * as reactDom from 'react-dom';
import * as client from 'react-dom/client';
import { transform } from 'sucrase';

/** The modules that a component may import. */
const MODULES: Readonly<Record<string, unknown>> = {
  react,
  'react-dom': reactDom,
  'react-dom/client': client,
  'react/jsx-runtime': jsxRuntime,
};

/** Compiles JSX or TSX to a script that sets `exports.default`. @throws SyntaxError with the line at fault */
export function compileComponent(code: string): string {
  const { code: script } = transform(code, {
    transforms: ['jsx', 'typescript', 'imports'],
    jsxRuntime: 'automatic',
    production: true,
    filePath: 'artifact',
  });
  return script;
}

/** Runs a compiled component in an element. @throws what the script throws, and Error when it exports no component */
export function runComponent(script: string, element: Element): void {
  const module = { exports: {} as Record<string, unknown> };
  const load = (name: string) => {
    const found = Object.hasOwn(MODULES, name) ? MODULES[name] : undefined;
    if (found === undefined)
      throw new Error(`The module "${name}" is not available. Available: ${Object.keys(MODULES).join(', ')}.`);
    return found;
  };
  // The frame exists to run this code: it has no origin and no network.
  new Function('require', 'module', 'exports', 'React', script)(load, module, module.exports, react);
  const { default: component } = module.exports;
  if (typeof component !== 'function') throw new Error('The file has no default export that is a component.');
  client.createRoot(element).render(react.createElement(component as react.FunctionComponent));
}

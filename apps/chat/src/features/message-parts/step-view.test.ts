import { expect, it } from 'vitest';
import { readableArgs } from './step-view.tsx';

it.each([
  ['an object', { a: 1 }, '{\n  "a": 1\n}'],
  ['JSON text', '{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}'],
  ['JSON that is still written', '{"a":', '{"a":'],
  ['nothing', undefined, ''],
  ['null', null, 'null'],
])('formats arguments that are %s', (_, args, text) => {
  expect(readableArgs(args)).toBe(text);
});

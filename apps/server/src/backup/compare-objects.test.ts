import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareObjects } from './compare-objects.ts';

const object = ([key, etag]: readonly [string, string]) => ({ key, etag, sizeBytes: 1 });
const sorted = (objects: Readonly<Record<string, string>>) =>
  Object.entries(objects)
    .map(object)
    .sort((a, b) => Buffer.from(a.key).compare(Buffer.from(b.key)));
async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

// Fails when keys are compared as JavaScript strings: surrogates sort before U+FFFD there, and after it as bytes.
test('finds what is missing or changed, and nothing else', async () => {
  const objects = fc.dictionary(
    fc.constantFrom('a', 'a/b', 'b', '\u{fffd}', '\u{1f600}', 'ü'),
    fc.constantFrom('"1"', '"2"'),
  );
  await fc.assert(
    fc.asyncProperty(objects, objects, async (listed, present) => {
      const found = await Array.fromAsync(compareObjects(each(sorted(listed)), each(sorted(present))));
      expect(found).toEqual(
        sorted(listed).map(({ key, etag }) => {
          const problem = !Object.hasOwn(present, key) ? 'missing' : present[key] === etag ? undefined : 'changed';
          return { key, problem };
        }),
      );
    }),
  );
});

import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createHistogramTally } from './histogram-tally.ts';
import { readExposition } from './read-exposition.test-support.ts';

test("says what the library's histogram says, whatever it observes", async () => {
  const options = { name: 'wait_seconds', help: 'A wait', buckets: [0.001, 0.5, 1, 300] };
  const value = fc.oneof(fc.constantFrom(0, ...options.buckets), fc.double({ min: 0, max: 1_000, noNaN: true }));
  await fc.assert(
    fc.asyncProperty(fc.array(value), async (values) => {
      const registry = new Registry();
      const theirs = new Histogram({ ...options, registers: [registry] });
      const ours = createHistogramTally(options);
      for (const one of values) {
        theirs.observe(one);
        ours.observe(one);
      }
      const expected = readExposition(await registry.metrics());
      const found = readExposition(ours.text());
      expect(found.samples).toEqual(expected.samples);
      expect(found.types).toEqual(expected.types);
    }),
  );
});

import { expect, it } from 'vitest';
import { needs } from '../harness/needs.ts';
import { useBerth } from '../harness/use-berth.ts';
import { NODE_SAMPLES } from '../samples/node-samples.ts';
import { OTHER_SAMPLES } from '../samples/other-samples.ts';
import { trySample } from '../samples/try-sample.ts';

const berth = useBerth();

/** The cheapest of `npm run samples`, one for each way to serve: a site that is built, a Node server, a Python server. */
const CHEAPEST = [
  ['vite-vanilla', ['npm']],
  ['express-generator', ['npm']],
  ['flask', ['python', 'pypi']],
] as const;

// Fails when `findSite` takes the source's page for the one that Vite built, when the packages of a project aren't installed, or when
// Flask isn't told which port to listen on.
it.concurrent.for(CHEAPEST)('%s as its framework makes it is built and served', async ([name, needed], context) => {
  await needs(context, ...needed);
  const sample = [...NODE_SAMPLES, ...OTHER_SAMPLES].find((one) => one.name === name);
  if (sample === undefined) throw new Error(`There is no sample ${name}.`);
  const { seconds: _, note, ...steps } = await trySample(berth, sample);
  expect(steps, note).toEqual({ name, isCreated: true, isDetected: true, isBuilt: true, isServed: true });
});

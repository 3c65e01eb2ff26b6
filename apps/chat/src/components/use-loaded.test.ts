import { expect, it } from 'vitest';
import { createLoader } from './use-loaded.ts';

it('has nothing at first, then the value', async () => {
  const loader = createLoader<string>();
  expect(loader.state.get()).toEqual({});
  await loader.load(async () => 'one');
  expect(loader.state.get()).toEqual({ value: 'one' });
});

it('keeps the value when a reload fails, and drops the error when the next one succeeds', async () => {
  const loader = createLoader<string>();
  await loader.load(async () => 'one');
  await loader.load(() => Promise.reject(new Error('offline')));
  expect(loader.state.get()).toEqual({ value: 'one', error: new Error('offline') });
  await loader.load(async () => 'two');
  expect(loader.state.get()).toEqual({ value: 'two' });
});

it('reports an error that is thrown before the request', async () => {
  const loader = createLoader<string>();
  await loader.load(() => {
    throw new URIError('malformed');
  });
  expect(loader.state.get()).toEqual({ error: new URIError('malformed') });
});

it('ignores the response of an earlier load', async () => {
  const loader = createLoader<string>();
  const slow = Promise.withResolvers<string>();
  const first = loader.load(() => slow.promise);
  await loader.load(async () => 'new');
  slow.resolve('old');
  await first;
  expect(loader.state.get()).toEqual({ value: 'new' });
});

it('ignores what arrives after it was stopped, errors included', async () => {
  const loader = createLoader<string>();
  const [value, failure] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const first = loader.load(() => value.promise);
  loader.stop();
  value.resolve('late');
  await first;
  const second = loader.load(() => failure.promise);
  loader.stop();
  failure.reject(new Error('late'));
  await second;
  expect(loader.state.get()).toEqual({});
});

it('reloads after a change, and shows why a change failed beside what the server has', async () => {
  const loader = createLoader<string>();
  await loader.change(Promise.reject(new Error('refused')), async () => 'unchanged');
  expect(loader.state.get()).toEqual({ value: 'unchanged', error: new Error('refused') });
  await loader.change(Promise.resolve(), async () => 'changed');
  expect(loader.state.get()).toEqual({ value: 'changed' });
});

it('hides the error of the change before while another is made', async () => {
  const loader = createLoader<string>();
  await loader.change(Promise.reject(new Error('refused')), async () => 'one');
  const work = Promise.withResolvers<void>();
  const changed = loader.change(work.promise, async () => 'two');
  expect(loader.state.get()).toEqual({ value: 'one' });
  work.resolve();
  await changed;
  expect(loader.state.get()).toEqual({ value: 'two' });
});

import { expect, test } from 'vitest';
import { createServiceFixture, createTargetFixture, type ServiceFixture } from '../testing/service-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

const signal = new AbortController().signal;
const command = ['migrate', '$DATABASE'];
const target = testTarget({
  revision: 'rev-2',
  artifact: { kind: 'image', reference: 'none', name: 'none', release: { title: 'migrate', command } },
  env: { DATABASE: 'x' },
});

/** A running release: its output so far, and a promise of its end. */
function release(fixture: ServiceFixture, options: { readonly signal: AbortSignal } = { signal }) {
  const said: string[] = [];
  const ended = fixture.table
    .release(target, {
      ...options,
      onProgress: (message) => said.push(message),
      onOutput: (line) => said.push(`| ${line}`),
    })
    .then(
      () => 'done',
      ({ code, message }) => `${code}: ${message}`,
    );
  return { said, ended };
}

// Fails when `runOnce` doesn't give the runtime the release command, or `events.billed` is left out.
test('a release command runs once, is billed, and serves nothing', async () => {
  const fixture = createTargetFixture({});
  const { said, ended } = release(fixture);
  await fixture.clock.elapse(1);
  const [instance] = fixture.runtime.instances;
  expect(instance?.spec).toMatchObject({ command, env: { DATABASE: 'x' }, revision: 'rev-2', memoryBytes: 100 });
  await instance?.print('stdout', 'one\ntw');
  await instance?.print('stderr', 'aside\n');
  await instance?.print('stdout', 'o');
  await fixture.clock.elapse(1_200);
  instance?.exit({ exitCode: 0 });
  await fixture.clock.elapse(1);
  expect(await ended).toBe('done');
  expect(said).toEqual([
    'Running the release command: migrate',
    '| one',
    '| aside',
    '| two',
    expect.stringMatching(/finished after 1\.2 s/),
  ]);
  expect(fixture.events.map(({ kind }) => kind)).toEqual(['started', 'stopped', 'billed', 'ended']);
  expect(fixture.events[0]).toMatchObject({ reason: 'release', revision: 'rev-2' });
  expect(fixture.events[2]).toMatchObject({ billableMs: 1_300 });
  expect(fixture.table.snapshot('hello')).toMatchObject({ revision: 'rev-1', instances: 0 });
  expect(fixture.runtime.instances).toHaveLength(1);
});

// Fails when `capacity.release()` is left out.
test.each([0, 1])('one that ends with exit code %i gives its memory back', async (exitCode) => {
  const fixture = createServiceFixture({ memoryBytes: target.memoryBytes });
  for (const run of [0, 1]) {
    const { ended } = release(fixture);
    await fixture.clock.elapse(1);
    expect(fixture.runtime.instances).toHaveLength(run + 1);
    fixture.runtime.instances[run]?.exit({ exitCode });
    await fixture.clock.elapse(1);
    expect(await ended).toMatch(exitCode === 0 ? 'done' : 'start_failed');
  }
});

test('without a release command nothing runs', async () => {
  const fixture = createServiceFixture();
  await fixture.table.release(testTarget(), { signal });
  expect(fixture.runtime.instances).toHaveLength(0);
});

test.each([
  [{ exitCode: 3 }, 'start_failed: The release command "migrate" failed with exit code 3.'],
  [{ exitCode: null, signal: 'SIGSEGV' }, 'start_failed: The release command "migrate" was killed by SIGSEGV.'],
  [{ exitCode: null, signal: 'SIGKILL', isOutOfMemory: true }, expect.stringContaining('memory limit')],
])('one that ends with %j fails, and the name is forgotten', async (exit, message) => {
  const fixture = createServiceFixture();
  const { ended } = release(fixture);
  await fixture.clock.elapse(1);
  fixture.runtime.instances[0]?.exit(exit);
  await fixture.clock.elapse(1);
  expect(await ended).toEqual(message);
  expect(fixture.table.find('hello')).toBeUndefined();
});

// Fails when the command has no timeout.
test('one that never ends is stopped after ten minutes', async () => {
  const fixture = createServiceFixture();
  const { ended } = release(fixture);
  await fixture.clock.elapse(599_000);
  expect(fixture.runtime.running).toHaveLength(1);
  await fixture.clock.elapse(2_000);
  expect(await ended).toMatch(/start_timeout: .* took longer than 600 seconds/);
  expect(fixture.runtime.running).toHaveLength(0);
});

// Fails when `retireService` doesn't wait for `service.releases`.
test('one whose deployment is removed is stopped before the removal is over', async () => {
  const fixture = createServiceFixture();
  fixture.plan = { stopTakesMs: 3_000 };
  const { ended } = release(fixture);
  await fixture.clock.elapse(1);
  let isRemoved = false;
  const removed = fixture.table.remove('hello').then(() => {
    isRemoved = true;
  });
  await fixture.clock.elapse(2_000);
  expect(isRemoved).toBe(false);
  await fixture.clock.elapse(1_100);
  await removed;
  expect(await ended).toMatch(/^cancelled/);
  expect(fixture.runtime.running).toHaveLength(0);
});

test('one whose deploy is canceled is stopped', async () => {
  const fixture = createServiceFixture();
  const cancel = new AbortController();
  const { ended } = release(fixture, { signal: cancel.signal });
  await fixture.clock.elapse(1);
  cancel.abort();
  await fixture.clock.elapse(1);
  expect(await ended).toMatch(/^cancelled/);
  expect(fixture.runtime.running).toHaveLength(0);
});

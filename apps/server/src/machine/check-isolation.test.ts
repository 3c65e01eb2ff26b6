import { ISOLATION } from '@berth/contract';
import type { Capability } from '@berth/runtime';
import { expect, it } from 'vitest';
import { checkIsolation } from './open-machine.ts';

const BOTH = { requireIsolation: true, signUp: true };

/** A machine that enforces everything but what `changes` say; null: it says nothing of that. */
function machine(changes: Readonly<Record<string, Capability['status'] | null>> = {}): Capability[] {
  return ISOLATION.flatMap(({ id }) => {
    const status = changes[id] === undefined ? 'enforced' : changes[id];
    return status === null ? [] : [{ id, title: `The ${id}`, status, detail: 'Why.', remedy: 'Do this.' }];
  });
}

it('starts where everything is enforced, and anywhere without strangers', () => {
  checkIsolation(BOTH, machine({ 'disk-limit': 'partial' }));
  checkIsolation({ requireIsolation: false, signUp: false }, []);
});

// Fails when a row of the table is lost or takes less.
it.each([
  ['sandbox', 'partial'],
  ['network-isolation', 'missing'],
  ['network-isolation', 'partial'],
  ['metadata-address', 'missing'],
  ['user-isolation', 'partial'],
  ['syscall-filter', 'missing'],
  ['memory-limit', 'partial'],
  ['process-limit', 'partial'],
  ['cpu-limit', 'missing'],
  ['disk-limit', 'missing'],
] as const)('refuses a machine whose %s is %s', (id, status) => {
  for (const config of [
    { ...BOTH, requireIsolation: false },
    { ...BOTH, signUp: false },
  ]) {
    expect(() => checkIsolation(config, machine({ [id]: status }))).toThrow(
      new RegExp(`^--(sign-up|require-isolation) requires .*:\n- The ${id} is ${status}: Why. Do this.\nSee docs/`),
    );
  }
});

it('takes what a runtime says nothing of as missing', () => {
  expect(() => checkIsolation(BOTH, machine({ 'syscall-filter': null }))).toThrow(/^- syscall-filter: This runtime/m);
  expect(() => checkIsolation(BOTH, [])).toThrow(/(^- .*\n){9}/m);
});

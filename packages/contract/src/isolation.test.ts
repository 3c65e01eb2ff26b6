import { expect, test } from 'vitest';
import type { DoctorCheck } from './doctor.ts';
import { findIsolationGaps, ISOLATION, sortChecks } from './isolation.ts';

const check = (id: string, status: DoctorCheck['status'] = 'enforced') => ({ id, status }) as DoctorCheck;

const all = () => ISOLATION.map(({ id }) => check(id));
const gapsOf = (checks: readonly DoctorCheck[]) => findIsolationGaps(checks).map(({ requirement }) => requirement.id);

// Fails when a check that was never made counts as passed: strangers' programs would run beside each other unprotected.
test('every protection has to be found and enforced', () => {
  expect(gapsOf(all())).toEqual([]);
  expect(gapsOf([])).toEqual(ISOLATION.map(({ id }) => id));
  for (const { id } of ISOLATION) {
    const others = all().filter((one) => one.id !== id);
    expect([id, gapsOf(others)]).toEqual([id, [id]]);
    const [gap] = findIsolationGaps([check('unknown'), ...others, check(id, 'missing')]);
    expect([gap?.requirement.id, gap?.check?.status]).toEqual([id, 'missing']);
  }
});

// Fails when half a protection is enough: only disk space may be held late.
test('a protection that holds in part is enough for disk space alone', () => {
  const partly = ISOLATION.map(({ id }) => check(id, 'partial'));
  expect(gapsOf(partly)).toEqual(ISOLATION.map(({ id }) => id).filter((id) => id !== 'disk-limit'));
});

test('checks come in the order of their weight, others keep theirs at the end', () => {
  const shuffled = [check('z'), ...all().toReversed(), check('a')];
  const sorted = sortChecks(shuffled).map(({ id }) => id);
  expect(sorted).toEqual([...ISOLATION.map(({ id }) => id), 'z', 'a']);
  // The list that was given stays as it is.
  expect(shuffled[0]?.id).toBe('z');
});

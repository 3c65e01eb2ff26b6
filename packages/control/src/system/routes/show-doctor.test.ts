import { createAccountFixture } from '@berth/accounts/testing';
import type { Capability } from '@berth/runtime';
import { expect, test } from 'vitest';
import { registerShowDoctor } from './show-doctor.ts';

const SECRETS = ['/usr/bin/node', 'Docker 29.1', 'cgroups v2', '--allow-root-images', '7 deployments', '41 GiB'];
const FOUND: readonly Capability[] = [
  { id: 'build-node', title: 'Builds with Node.js', status: 'enforced', detail: 'Node.js is at /usr/bin/node.' },
  { id: 'build-disk', title: 'Disk for builds', status: 'missing', detail: '41 GiB are free.', remedy: 'Free some.' },
  { id: 'foreign-revisions', title: 'Of another runtime', status: 'missing', detail: '7 deployments', remedy: 'x' },
  { id: 'memory-limit', title: 'Memory limit', status: 'enforced', detail: 'Held (Docker 29.1, cgroups v2).' },
  { id: 'user-isolation', title: 'Users', status: 'partial', detail: 'Root', remedy: 'Drop --allow-root-images.' },
  { id: 'sandbox', title: 'Sandbox', status: 'enforced', detail: 'A container (Docker 29.1).' },
];

// Fails when the checks of the machine are passed on as they are, or those that the server doesn't know.
test('accounts learn what they have to expect, and nothing of the machine or of others', async () => {
  await using fixture = await createAccountFixture({
    extend: (api) => registerShowDoctor(api, { capabilities: async () => FOUND }),
  });
  const { call, operatorKey, other } = fixture;
  const { body: all } = await call('GET', '/v1/doctor', { key: operatorKey });
  const ids = ({ checks }: { checks: { id: string }[] }) => checks.map(({ id }) => id);
  const order = ['sandbox', 'user-isolation', 'memory-limit', 'build-node', 'build-disk'];
  expect(ids(all)).toEqual([...order, 'foreign-revisions']);
  expect(all.checks).toEqual(expect.arrayContaining([...FOUND]));

  const { body: told } = await call('GET', '/v1/doctor', { key: other.key.secret });
  expect(ids(told)).toEqual(order);
  for (const secret of SECRETS) expect(JSON.stringify(told)).not.toContain(secret);
  expect(told.checks[0]).toEqual({
    id: 'sandbox',
    title: 'Sandbox',
    status: 'enforced',
    detail: 'Services and builds see only their own files and processes.',
  });
  expect(told.checks[1].detail).toContain('may be root');
});

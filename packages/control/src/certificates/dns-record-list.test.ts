import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTestDatabase } from '@berth/database/testing';
import { expect, test } from 'vitest';
import { createDnsRecordList } from './dns-record-list.ts';

const NAME = '_acme-challenge.apps.example.com';

// Fails when the list is in the memory of the process, or when answers to HTTP challenges are taken for records.
test('the list of DNS records outlives a process, and has no other answers', async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-dns-records-'));
  const file = path.join(folder.path, 'berth.db');
  const first = await openTestDatabase(file);
  const http = { token: 'dns-01-is-a-token-too', answer: 'a', expires_at: 1 };
  await first.db.insertInto('acme_challenges').values(http).execute();
  const records = [
    { name: NAME, value: 'of-the_domain' },
    { name: NAME, value: 'of-the-wildcard' },
  ];
  const list = createDnsRecordList(first.db);
  for (const record of [...records, ...records]) await list.add(record);
  await first.close();

  const second = await openTestDatabase(file);
  const again = createDnsRecordList(second.db);
  expect((await again.list()).toSorted((a, b) => (a.value < b.value ? -1 : 1))).toEqual(records.toReversed());
  await again.remove({ name: NAME, value: 'of-the_domain' });
  await again.remove({ name: NAME, value: 'unknown' });
  expect(await again.list()).toEqual([records[1]]);
  expect(await second.db.selectFrom('acme_challenges').select('token').orderBy('token').execute()).toHaveLength(2);
  await second.close();
});

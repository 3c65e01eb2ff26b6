import { chmodSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTestDatabase } from '@berth/database/testing';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { readConfig } from '../config/read-config.ts';
import { openDnsChallenges } from './open-dns-challenges.ts';

const RECORD = { name: '_acme-challenge.apps.example.com', value: 'proof' };

function configOf(flags: Readonly<Record<string, string>>) {
  const wildcard = { domain: 'apps.example.com', 'acme-directory': 'https://acme.example/directory' };
  const reading = readConfig({ flags: { ...wildcard, ...flags }, environment: {}, workingFolder: '/' });
  if ('faults' in reading) throw new Error(reading.faults.join('\n'));
  return reading.config;
}

// Fails when the command gets the server's secrets, or isn't asked to clean up what no name server answered with.
test("the operator's command adds and removes the record, with the variables that it was given", async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-dns-'));
  const hook = path.join(folder.path, 'hook');
  const out = path.join(folder.path, 'out');
  writeFileSync(hook, `#!/bin/sh\necho "$@ token=$DNS_TOKEN key=$BERTH_MASTER_KEY other=$OTHER" >> "${out}"\n`);
  chmodSync(hook, 0o755);
  const { db, close } = await openTestDatabase(path.join(folder.path, 'berth.db'));
  const environment = { ...process.env, DNS_TOKEN: 't', BERTH_MASTER_KEY: 'secret', OTHER: 'o' };
  const shared = { environment, clock: createSystemClock(), logger: createSilentLogger(), db };
  const challenges = openDnsChallenges({
    ...shared,
    config: configOf({
      'acme-dns-command': JSON.stringify([hook]),
      'acme-dns-command-env': 'PATH,DNS_TOKEN',
      // Nothing answers there.
      'acme-dns-check': '127.0.0.1:1',
      'acme-dns-timeout': '5',
    }),
  });
  await expect(challenges?.offer([RECORD], AbortSignal.timeout(30_000))).rejects.toThrow(
    "the DNS record isn't answered after 5 s by 127.0.0.1:1",
  );
  expect(readFileSync(out, 'utf8').split('\n')).toEqual([
    `present ${RECORD.name} proof token=t key= other=`,
    `cleanup ${RECORD.name} proof token=t key= other=`,
    '',
  ]);
  expect(await db.selectFrom('acme_challenges').selectAll().execute()).toEqual([]);
  expect(openDnsChallenges({ ...shared, config: configOf({}) })).toBeUndefined();
  expect(() =>
    openDnsChallenges({
      ...shared,
      config: configOf({ 'acme-dns-command': '["hook"]', 'acme-dns-check': 'not a server' }),
    }),
  ).toThrow('BERTH_ACME_DNS_CHECK: "not a server" is not a name server');
  await close();
});

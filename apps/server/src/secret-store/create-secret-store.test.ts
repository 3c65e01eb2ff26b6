import type { AccountId } from '@berth/kit';
import { createSilentLogger } from '@berth/kit';
import { expect, test } from 'vitest';
import { createSecretStore } from './create-secret-store.ts';

const open = (script: string) =>
  createSecretStore({
    command: [process.execPath, '-e', script, '--', 'read'],
    environment: { PATH: '/bin', VAULT_TOKEN: 'operator', BERTH_MASTER_KEY: 'never' },
    logger: createSilentLogger(),
  });
const request = { account: 'acc_1' as AccountId, deployment: 'shop', name: 'prod/db' };

test('the command gets the name, the account and the deployment, and none of the server’s own settings', async () => {
  const read = open(`
    const { BERTH_ACCOUNT, BERTH_DEPLOYMENT, VAULT_TOKEN, BERTH_MASTER_KEY = 'none' } = process.env;
    console.log([...process.argv.slice(1), BERTH_ACCOUNT, BERTH_DEPLOYMENT, VAULT_TOKEN, BERTH_MASTER_KEY].join(' '));
  `);
  expect(await read(request)).toEqual({ value: 'read prod/db acc_1 shop operator none' });
});

test('only the last line end is no part of the secret', async () => {
  expect(await open('process.stdout.write(" a\\nb \\n\\n")')(request)).toEqual({ value: ' a\nb \n' });
});

test.each([
  ['process.exit(3)', /none for "shop": its command ended with code 3/],
  ['', /nothing/],
  ['console.log("a\\0b")', /NUL/],
])('%s is a problem of the reference', async (script, problem) => {
  expect(await open(script)(request)).toEqual({ problem: expect.stringMatching(problem) });
});

test('a command that is killed, or not there, is no answer', async () => {
  await expect(open('process.kill(process.pid, "SIGKILL")')(request)).rejects.toMatchObject({ code: 'unavailable' });
  const read = createSecretStore({ command: ['/no/such'], environment: {}, logger: createSilentLogger() });
  await expect(read(request)).rejects.toThrow(/failed \(ENOENT\)/);
  // Nor does it keep the next one from being asked.
  await expect(read(request)).rejects.toThrow(/failed \(ENOENT\)/);
});

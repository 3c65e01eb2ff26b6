import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AccountServices } from '@berth/accounts';
import { createError } from '@berth/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureOperatorKey } from './operator-key.ts';

let dataFolder: string;
let file: string;
beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'berth-key-'));
  file = path.join(dataFolder, 'api-key');
});
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

/** Accounts that record the key they are given, and what the file held at that moment. */
function recordAccounts({
  isRevoked = false,
  hasOperator = false,
  refusal,
}: {
  isRevoked?: boolean;
  hasOperator?: boolean;
  refusal?: Error;
} = {}) {
  const seen: { readonly secret: string; readonly inFile: string | undefined }[] = [];
  const ensureOperator = async ({ secret }: { readonly secret: string }) => {
    seen.push({ secret, inFile: existsSync(file) ? readFileSync(file, 'utf8') : undefined });
    if (refusal) throw refusal;
    return { isRevoked, isNew: !hasOperator };
  };
  const accounts = { ensureOperator, hasOperator: async () => hasOperator };
  return { seen, accounts: accounts as unknown as AccountServices['accounts'] };
}

// Fails when the database is written before the file: a crash between them would lose the only copy of the key.
test('the first start makes a key and writes it to its file before the database has it', async () => {
  const { seen, accounts } = recordAccounts();
  const key = await ensureOperatorKey({ dataFolder, accounts, bootstrapKey: undefined, isShared: false });
  expect(key).toMatchObject({ file, isGenerated: true, isChosen: false, isRevoked: false });
  expect(key?.secret.length).toBeGreaterThanOrEqual(32);
  expect(seen).toEqual([{ secret: key?.secret, inFile: `${key?.secret}\n` }]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

// Fails when a start that finds a key makes another, or says that the key is new, which prints it.
test('the next start finds the same key and does not call it new', async () => {
  const { seen, accounts } = recordAccounts();
  const first = await ensureOperatorKey({ dataFolder, accounts, bootstrapKey: undefined, isShared: false });
  const second = await ensureOperatorKey({ dataFolder, accounts, bootstrapKey: undefined, isShared: false });
  expect(second).toEqual({ ...first, isGenerated: false });
  expect(seen.map(({ secret }) => secret)).toEqual([first?.secret, first?.secret]);
});

// Fails when the stored key wins over the operator's, or the chosen key is taken for a new one.
test('the key of the operator replaces the stored one, in the file too', async () => {
  writeFileSync(file, `${'s'.repeat(40)}\n`);
  const { seen, accounts } = recordAccounts({ isRevoked: true, hasOperator: true });
  const bootstrapKey = 'b'.repeat(40);
  const key = await ensureOperatorKey({ dataFolder, accounts, bootstrapKey, isShared: false });
  expect(key).toEqual({
    secret: bootstrapKey,
    file,
    isGenerated: false,
    isChosen: true,
    isRevoked: true,
    isFirst: false,
  });
  expect(seen).toEqual([{ secret: bootstrapKey, inFile: `${bootstrapKey}\n` }]);
});

// Fails when the error of the accounts is swallowed: the server would start with a key that opens nothing.
test('a key that the accounts refuse ends the start', async () => {
  const { accounts } = recordAccounts({ refusal: createError('conflict', "The key is another account's.") });
  const started = ensureOperatorKey({ dataFolder, accounts, bootstrapKey: 'b'.repeat(40), isShared: false });
  await expect(started).rejects.toMatchObject({ code: 'conflict' });
});

// Fails when each server that joins others adds a key with all scopes to the operator's account.
test('a server that joins others makes no key; one that was given a key, or has one, uses it', async () => {
  const { seen, accounts } = recordAccounts({ hasOperator: true });
  const join = (bootstrapKey?: string) => ensureOperatorKey({ dataFolder, accounts, bootstrapKey, isShared: true });
  expect(await join()).toBeUndefined();
  expect([seen, existsSync(file)]).toEqual([[], false]);
  const chosen = await join('b'.repeat(40));
  expect(chosen).toMatchObject({ isGenerated: false, isChosen: true });
  expect(await join()).toMatchObject({ secret: chosen?.secret, isGenerated: false, isChosen: false });
});

test('the first of several servers makes the key', async () => {
  const { accounts } = recordAccounts();
  const key = await ensureOperatorKey({ dataFolder, accounts, bootstrapKey: undefined, isShared: true });
  expect(key).toMatchObject({ isGenerated: true, isFirst: true });
});

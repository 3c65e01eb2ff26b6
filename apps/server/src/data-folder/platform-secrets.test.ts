import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ensureOwnServerId, loadPlatformSecrets } from './platform-secrets.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('makes the master key once, private, and derives the same keys from it', () => {
  const first = loadPlatformSecrets({ data: folder, isFirstRun: true });
  const file = path.join(folder, 'master.key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(loadPlatformSecrets({ data: folder, isFirstRun: true })).toEqual(first);
  expect(first.environmentKey).toHaveLength(32);
  expect(first.cookieKey).not.toEqual(first.environmentKey);
  expect(readFileSync(file, 'utf8')).not.toContain(first.sessionSecret);
});

// Fails when the id comes from the master key alone: on one engine a restored server ends the containers of its original.
it('names a restored folder otherwise than its original, alike at each start', () => {
  const original = loadPlatformSecrets({ data: folder, isFirstRun: false });
  const restored = mkdtempSync(path.join(tmpdir(), 'berth-secrets-'));
  try {
    copyFileSync(path.join(folder, 'master.key'), path.join(restored, 'master.key'));
    ensureOwnServerId(restored);
    const first = loadPlatformSecrets({ data: restored, isFirstRun: false });
    expect(first).toEqual({ ...original, serverId: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(first.serverId).not.toBe(original.serverId);
    ensureOwnServerId(restored);
    expect(loadPlatformSecrets({ data: restored, isFirstRun: false })).toEqual(first);
    writeFileSync(path.join(restored, 'server-id'), 'abc');
    expect(() => loadPlatformSecrets({ data: restored, isFirstRun: false })).toThrow(/server-id is damaged/);
  } finally {
    rmSync(restored, { recursive: true });
  }
});

it('refuses a damaged master key instead of making another', () => {
  writeFileSync(path.join(folder, 'master.key'), 'abc');
  expect(() => loadPlatformSecrets({ data: folder, isFirstRun: true })).toThrow(/damaged/);
});

it('makes a key only on a first start', () => {
  rmSync(path.join(folder, 'master.key'));
  expect(() => loadPlatformSecrets({ data: folder, isFirstRun: false })).toThrow(/master\.key is missing/);
});

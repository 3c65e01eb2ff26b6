import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSystemClock } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDnsCommand } from './dns-command.ts';

let folder: string;
const clock = createSystemClock();

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-dns-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function hook(lines: string, { timeoutMs = 20_000 } = {}) {
  const file = path.join(folder, 'hook');
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  const environment = { PATH: process.env['PATH'] ?? '', OUT: path.join(folder, 'out') };
  return createDnsCommand({ words: [file, 'first word'], environment, timeoutMs, clock });
}

// Fails when a shell reads the words, or when the command gets more of the environment than it was given.
test('the command gets its words as they are, and no other variables', async () => {
  const provider = hook('printf "%s|" "$@" >> "$OUT"; env | cut -d= -f1 | sort | tr "\\n" " " >> "$OUT"');
  const value = '$(touch /tmp/x); `id` \'"';
  await provider.add({ name: '_acme-challenge.berth.test', value });
  const [words = '', variables = ''] = readFileSync(path.join(folder, 'out'), 'utf8').split(/\|(?=[^|]*$)/);
  expect(words).toBe(`first word|present|_acme-challenge.berth.test|${value}`);
  expect(
    variables
      .trim()
      .split(' ')
      .filter((name) => !['PWD', '_', 'SHLVL'].includes(name)),
  ).toEqual(['OUT', 'PATH']);
  await provider.remove({ name: 'a.test', value: 'v' });
  expect(readFileSync(path.join(folder, 'out'), 'utf8')).toContain('first word|cleanup|a.test|v|');
});

test('a failure names the command and its code, and not its output', async () => {
  const failure = await hook('echo secret; exit 3').add({ name: 'a.test', value: 'v' }).catch(String);
  expect(failure).toMatch(/BERTH_ACME_DNS_COMMAND ended with code 3: .*hook present/);
  expect(failure).not.toContain('secret;');
  const absent = createDnsCommand({ words: [path.join(folder, 'none')], environment: {}, timeoutMs: 1_000, clock });
  await expect(absent.add({ name: 'a.test', value: 'v' })).rejects.toThrow('failed (ENOENT)');
});

test('what the command started ends with it when it takes too long', async () => {
  const provider = hook('sleep 600 & echo $! > "$OUT"; wait', { timeoutMs: 1_000 });
  await expect(provider.add({ name: 'a.test', value: 'v' })).rejects.toThrow("didn't end within 1 s");
  const pid = readFileSync(path.join(folder, 'out'), 'utf8').trim();
  await waitUntil('it has ended', () => {
    const file = `/proc/${pid}/stat`;
    return !existsSync(file) || readFileSync(file, 'utf8').includes(') Z ');
  });
});

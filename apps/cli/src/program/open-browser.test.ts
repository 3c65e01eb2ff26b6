import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { type Desktop, openBrowser } from './open-browser.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  vi.stubEnv('PATH', `${folder.path}:/usr/bin:/bin`);
  return async () => {
    vi.unstubAllEnvs();
    await folder[Symbol.asyncDispose]();
  };
});

const calls = () => path.join(folder.path, 'calls');

/** Puts a program on the PATH that writes down its arguments. */
function install(name: string): void {
  const program = path.join(folder.path, name);
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$0" "$@" > "${calls()}.new" && mv "${calls()}.new" "${calls()}"\n`,
  );
  chmodSync(program, 0o755);
}
const told = async () => {
  await expect.poll(() => existsSync(calls())).toBe(true);
  const [program = '', ...args] = readFileSync(calls(), 'utf8').trim().split('\n');
  return [path.basename(program), ...args];
};

// Fails when a platform is given the program of another, or the address in more than one argument.
test.each<[string, Desktop, readonly string[]]>([
  ['open', { platform: 'darwin', hasDisplay: false }, []],
  ['rundll32', { platform: 'win32', hasDisplay: false }, ['url.dll,FileProtocolHandler']],
  ['xdg-open', { platform: 'linux', hasDisplay: true }, []],
  ['xdg-open', { platform: 'freebsd', hasDisplay: true }, []],
])('%s opens an address: %j', async (program, desktop, before) => {
  install(program);
  expect(await openBrowser('https://b.test/a b?c="d"&e=$(id)', desktop)).toBe(true);
  expect(await told()).toEqual([program, ...before, 'https://b.test/a%20b?c=%22d%22&e=$(id)']);
});

test('without a display, or without the program, nothing is opened', async () => {
  install('xdg-open');
  expect(await openBrowser('https://b.test', { platform: 'linux', hasDisplay: false })).toBe(false);
  vi.stubEnv('PATH', '/nonexistent');
  expect(await openBrowser('https://b.test', { platform: 'linux', hasDisplay: true })).toBe(false);
  expect(existsSync(calls())).toBe(false);
});

// Fails when the scheme isn't looked at: a server names the address, and these open files and programs.
test.each([
  'file:///etc/passwd',
  '--help',
  '-a Calculator',
  'javascript:alert(1)',
  'ftp://a',
  'https://',
  '/etc/passwd',
  '',
])('%j is not opened', async (url) => {
  for (const program of ['open', 'xdg-open']) install(program);
  for (const platform of ['darwin', 'linux']) {
    expect(await openBrowser(url, { platform, hasDisplay: true })).toBe(false);
  }
  expect(existsSync(calls())).toBe(false);
});

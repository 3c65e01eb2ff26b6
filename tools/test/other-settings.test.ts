import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const REPO = path.resolve(import.meta.dirname, '../..');

// Fails when run-berth.ts sets no BERTH_DATA or no HOME, and when vitest.config.ts leaves the caller's variables.
it('tests of the command line see neither the data folder of their clone nor the settings of their caller', async () => {
  const clone = await mkdtemp(path.join(tmpdir(), 'berth-clone-'));
  const at = (name: string) => path.join(clone, name);
  try {
    await cp(path.join(REPO, 'apps/cli'), at('apps/cli'), { recursive: true });
    for (const name of ['package.json', 'vitest.config.ts']) await cp(path.join(REPO, name), at(name));
    await symlink(path.join(REPO, 'node_modules'), at('node_modules'));
    await mkdir(at('.berth'));
    await writeFile(at('.berth/api-key'), 'key-of-the-clone\n');
    await mkdir(at('home/.config/berth'), { recursive: true });
    await writeFile(at('home/.config/berth/config.json'), '{ "key of the caller": ');
    await writeFile(
      at('apps/cli/src/caller.test.ts'),
      `import { expect, it } from 'vitest';
       it('has no key of the caller', () => expect(process.env['BERTH_API_KEY']).toBeUndefined());`,
    );
    const files = ['apps/cli/src/commands/person/login.test.ts', 'apps/cli/src/caller.test.ts'];
    const words = ['run', ...files, '-t', 'checks a key|has no key'];
    const settings = { BERTH_URL: 'http://127.0.0.1:1', BERTH_API_KEY: 'key-of-the-caller', BERTH_DATA: at('.berth') };
    const env = { ...process.env, ...settings, HOME: at('home'), NO_COLOR: '1' };
    const vitest = path.join(REPO, 'node_modules/vitest/vitest.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [vitest, ...words], { cwd: clone, env });
    expect(stdout).toMatch(/Test Files +2 passed \(2\)/);
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
});

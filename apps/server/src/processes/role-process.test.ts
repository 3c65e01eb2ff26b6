import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startRoleProcess } from './role-process.ts';

const canRead = process.platform === 'linux';

// Fails when the environment is passed on whole: any process of this user can read it, and a crash report may hold it.
test('a process gets the environment without the settings of Berth, and nothing in its arguments', async () => {
  const environment = {
    PATH: process.env['PATH'],
    HTTPS_PROXY: 'http://proxy.example:3128',
    BERTH_BOOTSTRAP_KEY: 'canary-key',
    BERTH_STRIPE_KEY: 'canary-stripe',
    BERTH_DATA: '/canary',
    EMPTY: undefined,
  };
  const { child, ended, kill } = startRoleProcess('worker', environment);
  try {
    if (canRead) {
      const seen = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, 'utf8').split('\0');
      expect(seen('environ')).toContain('HTTPS_PROXY=http://proxy.example:3128');
      expect(seen('environ').join('\n')).not.toMatch(/canary|BERTH_|EMPTY/);
      expect(seen('cmdline').join('\n')).not.toContain('canary');
    }
  } finally {
    kill();
  }
  // Fails when an exit by a signal is described by its code, which is null then.
  expect(await ended).toBe('SIGKILL');
});

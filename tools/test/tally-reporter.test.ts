import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Tally } from './tally.ts';

const REPO = path.resolve(import.meta.dirname, '../..');

// Fails when errors of suites are left out: a lane whose hooks threw passed, with its tests skipped "by design".
it('counts a suite as failed whose hook throws', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'berth-tally-'));
  try {
    await symlink(path.join(REPO, 'node_modules'), path.join(root, 'node_modules'));
    await writeFile(
      path.join(root, 'hook.test.ts'),
      `import { beforeAll, describe, it } from 'vitest';
       describe('outer', () => {
         beforeAll(() => { throw new Error('the hook broke') });
         it('is never run', () => {});
       });`,
    );
    const file = path.join(root, 'tally.json');
    const program = `
      import { startVitest } from 'vitest/node';
      import { createTallyReporter } from ${JSON.stringify(path.join(import.meta.dirname, 'tally-reporter.ts'))};
      const root = ${JSON.stringify(root)};
      const vitest = await startVitest('test', [], { root, config: false, watch: false, reporters: [createTallyReporter(${JSON.stringify(file)})] });
      await vitest.close();
      process.exit(0);`;
    const env = { ...process.env, NO_COLOR: '1', VITEST: '' };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: REPO, env });
    const tally = JSON.parse(await readFile(file, 'utf8')) as Tally;
    const reason = expect.stringContaining('the hook broke');
    expect(tally.failed).toEqual([{ test: 'hook.test.ts outer', file: 'hook.test.ts', reason }]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

import { type DoctorReport, findIsolationGaps } from '@berth/contract';
import { expect, it } from 'vitest';
import { createBerth } from '../harness/berth.ts';

/** What a server that must not start said; it fails when the server starts. */
async function refusalOf(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  await using strict = createBerth({ args, env });
  const outcome = await strict.start().then(
    () => expect.fail(`the server started with ${args.join(' ')}`),
    (error: Error) => error.message,
  );
  expect(outcome).toContain('the server is not running');
  return outcome;
}

// Fails when `openMachine` doesn't check: strangers would run programs beside everything that the server's user can read.
it.each([
  ['--sign-up', '--isolation', 'none'],
  ['--isolation', 'none', '--require-isolation'],
])('the server refuses %s %s %s', async (...args) => {
  const said = await refusalOf(args, { BERTH_RUNTIME: 'process' });
  const flag = args.find((word) => word.startsWith('--') && word !== '--isolation');
  expect(said).toContain(`berth: ${flag} requires account isolation`);
  expect(said).toMatch(/^- Sandbox is (partial|missing): .*\. Install bubblewrap/m);
  expect(said).not.toContain('    at ');
});

it('requires what the doctor of the machine says is missing, and nothing else', async () => {
  await using berth = createBerth();
  await berth.start();
  const { checks } = (await (await berth.api('/v1/doctor')).json()) as DoctorReport;
  const gaps = findIsolationGaps(checks);
  // The same in the lines of the start, which no client asked for.
  expect(berth.output.includes('Not for strangers')).toBe(gaps.length > 0);
  const args = ['--require-isolation', '--sign-up'];
  if (gaps.length > 0) {
    const said = await refusalOf(args);
    const lines = said.split('\n').filter((line) => line.startsWith('- '));
    expect(lines).toEqual(
      gaps.map(({ requirement, check }) => expect.stringMatching(`^- (${check?.title ?? requirement.id})`)),
    );
    for (const { check } of gaps) if (check) expect(said).toContain(`${check.detail} ${check.remedy}`);
    return;
  }
  await using strict = createBerth({ args });
  await strict.start();
  const json = { name: 'Eve', email: 'eve@example.org', password: 'correct horse battery' };
  expect((await strict.post('/v1/auth/sign-up/email', json)).status).toBe(200);
});

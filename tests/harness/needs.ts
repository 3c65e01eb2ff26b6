import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { DoctorReport } from '@berth/contract';
import type { TestContext } from 'vitest';
import { findProgram } from '../../bench/peers/find-program.ts';
import type { Berth } from './berth.ts';
import { RUNTIME, TEST_ENGINE } from './runtime.ts';

/** What a test may need that a newcomer's machine may lack; each probe answers why not, or undefined. */
const PROBES = {
  python: () => lacks('python3', ['-c', 'import venv, ensurepip'], 'Python 3 with venv'),
  go: () => lacks('go', ['version'], 'Go'),
  git: () => lacks('git', ['--version'], 'Git'),
  curl: () => lacks('curl', ['--version'], 'curl'),
  jq: () => lacks('jq', ['--version'], 'jq'),
  prometheus: () => lacks('promtool', ['--version'], "Debian's prometheus"),
  nginx: () => lacks('/usr/sbin/nginx', ['-v'], "Debian's nginx-light"),
  caddy: () => lacks('caddy', ['version'], "Debian's caddy"),
  victoriaLogs: () => (findProgram('victoria-logs') ? undefined : 'needs VictoriaLogs (bench/README.md)'),
  nft: () => lacks('nft', ['--version'], 'nftables'),
  libreoffice: () =>
    existsSync('/usr/lib/libreoffice/program/soffice.bin') ? undefined : 'needs LibreOffice: libreoffice-writer-nogui',
  /** The npm registry, the Python index: where the examples' dependencies come from. */
  npm: () => unreachable('https://registry.npmjs.org/ws'),
  pypi: () => unreachable('https://pypi.org/simple/fastapi/'),
  /** Idle services can be suspended: cgroups of version 1 or 2 that this user may write. */
  freezer: () =>
    ['/sys/fs/cgroup/freezer', '/sys/fs/cgroup/cgroup.controllers'].some(existsSync) && process.getuid?.() === 0
      ? undefined
      : 'needs a freezer: cgroups, and root to write them',
  /** An engine for tests: what it runs, they may stop. */
  engine: () =>
    TEST_ENGINE === undefined ? 'needs a Docker engine of its own (docs/guides/docker.md, Tests)' : undefined,
  /** Processes can be looked up, which is how orphans are found. */
  procfs: () => (existsSync('/proc/self/environ') ? undefined : 'needs /proc to look for processes'),
} as const satisfies Record<string, () => string | undefined | Promise<string | undefined>>;

/**
 * Skips the test with a printed reason when the machine lacks one of `things`.
 * With `CI=true` nothing may be lacking: there the test fails.
 */
export async function needs(context: TestContext, ...things: readonly (keyof typeof PROBES)[]): Promise<void> {
  for (const thing of things) {
    if (RUNTIME === 'kubernetes' && (thing === 'npm' || thing === 'pypi')) {
      context.skip('by design: Pods of a cluster for tests may reach no registry of packages');
    }
    const reason = await PROBES[thing]();
    if (reason !== undefined) skipOrFail(context, reason);
  }
}

/** {@link needs} for what the server itself says it enforces: the id of a check of `GET /v1/doctor`. */
export async function needsEnforced(context: TestContext, berth: Berth, id: string): Promise<void> {
  const report = (await (await berth.api('/v1/doctor')).json()) as DoctorReport;
  const check = report.checks.find((one) => one.id === id);
  if (!check) throw new Error(`GET /v1/doctor says nothing of ${id}`);
  if (check.status !== 'enforced') skipOrFail(context, `needs ${id}, which is ${check.status}: ${check.detail}`);
}

/** Skips a test for `reason`. With `CI=true` it fails. */
export function skipOrFail(context: TestContext, reason: string): void {
  if (process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${reason}`);
  context.skip(reason);
}

function lacks(program: string, words: readonly string[], title: string): string | undefined {
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0 ? undefined : `needs ${title}`;
}

async function unreachable(url: string): Promise<string | undefined> {
  const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  return answer?.ok ? undefined : `needs ${new URL(url).host}, which does not answer`;
}

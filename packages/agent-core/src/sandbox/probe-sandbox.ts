import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runSandboxed } from './run-sandboxed.ts';

/** What bubblewrap can do on this machine. */
export type SandboxProbe = { readonly hasProc: boolean } | { readonly problem: string };

const PROBE_MS = 10_000;

/**
 * Runs a command in the sandbox to see whether bubblewrap works: it may be missing, or namespaces or a `/proc` may be forbidden.
 * @param userId the user to try it as; see `RunSandboxedOptions`.
 */
export async function probeSandbox(userId?: number): Promise<SandboxProbe> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-sandbox-'));
  try {
    if (userId !== undefined) await chown(folder, userId, userId);
    const withProc = await tryCommand(folder, true, userId);
    if (withProc === undefined) return { hasProc: true };
    const problem = await tryCommand(folder, false, userId);
    return problem === undefined ? { hasProc: false } : { problem };
  } catch (error) {
    return { problem: `bubblewrap can not be used (${(error as Error).message})` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns why it does not work; undefined when it does. */
async function tryCommand(folder: string, hasProc: boolean, userId?: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const asked = { command: 'exit 0', folder, hasProc, cpuSeconds: 1, userId, signal };
  const { exitCode, output } = await runSandboxed(asked);
  return exitCode === 0 ? undefined : `bubblewrap does not work here (${output.trim()})`;
}

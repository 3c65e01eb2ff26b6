import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { filesOf } from '../files/workspace-text.ts';
import type { Tool } from '../tool.ts';
import { runSandboxed } from './run-sandboxed.ts';

export interface CommandToolOptions {
  /** Of one command; 60 by default. */
  readonly timeoutSeconds?: number;
}

const TIMEOUT_SECONDS = 60;
/** Of the probe. */
const PROBE_MS = 5_000;

/**
 * `run_command`: a command line in a sandbox that holds the workspace and the system's programs, without network. Where
 * bubblewrap is missing, or not allowed to make namespaces, models are not offered the tool.
 */
export function commandTool({ timeoutSeconds = TIMEOUT_SECONDS }: CommandToolOptions = {}): Tool {
  let probe: Promise<string | undefined> | undefined;
  return defineTool({
    name: 'run_command',
    description: `Runs a command line with /bin/sh in a sandbox. It works in the person's workspace and may change it; there is no network, and nothing else of the machine. At most ${timeoutSeconds} s.`,
    risk: 'destructive',
    input: z.object({ command: z.string().min(1).max(20_000) }),
    timeoutMs: timeoutSeconds * 1_000,
    unavailable() {
      probe ??= probeSandbox();
      return probe;
    },
    label: ({ command }) => `Run ${command}`,
    async run({ command }, context) {
      const files = filesOf(context);
      await files.ensureFolder();
      const { signal } = context;
      const outcome = await runSandboxed({ command, folder: files.folder, cpuSeconds: timeoutSeconds, signal });
      return `Exit code ${outcome.exitCode}\n${outcome.output}`;
    },
  });
}

/** Finds out by doing; undefined when it works. */
async function probeSandbox(): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-sandbox-'));
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const { exitCode, output } = await runSandboxed({ command: 'exit 0', folder, cpuSeconds: 1, signal });
    return exitCode === 0 ? undefined : `bubblewrap does not work here: ${output.trim()}`;
  } catch (error) {
    return `bubblewrap can not be used: ${(error as Error).message}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { defineTool, probeSandbox, runSandboxed, type SandboxProbe, type Tool, ToolError } from '@berth/agent-core';
import { z } from 'zod';
import { filesOf } from '../files/workspace-text.ts';

export interface CommandToolOptions {
  /** Time limit of one command; 60 by default. */
  readonly timeoutSeconds?: number;
}

const TIMEOUT_SECONDS = 60;

/** The name of {@link commandTool}. */
export const RUN_COMMAND = 'run_command';

/**
 * `run_command`: a command line in a sandbox that holds the workspace and the system's programs, without network. Where
 * bubblewrap is missing, or not allowed to make namespaces, models are not offered the tool.
 */
export function commandTool({ timeoutSeconds = TIMEOUT_SECONDS }: CommandToolOptions = {}): Tool {
  let probing: Promise<SandboxProbe> | undefined;
  const probe = () => {
    probing ??= probeSandbox();
    return probing;
  };
  return defineTool({
    name: RUN_COMMAND,
    description: `Runs a command line with /bin/sh in a sandbox. It works in the person's workspace and may change it; there is no network, and nothing else of the machine. At most ${timeoutSeconds} s.`,
    risk: 'destructive',
    input: z.object({ command: z.string().min(1).max(20_000) }),
    timeoutMs: timeoutSeconds * 1_000,
    async unavailable() {
      const found = await probe();
      return 'problem' in found ? found.problem : undefined;
    },
    label: ({ command }) => `Run ${command}`,
    async run({ command }, context) {
      const files = filesOf(context);
      await files.ensureFolder();
      const found = await probe();
      if ('problem' in found) throw new ToolError(`Commands cannot be run here: ${found.problem}.`);
      const { hasProc } = found;
      const { signal, skillsFolder } = context;
      const { folder } = files;
      const outcome = await runSandboxed({
        command,
        folder,
        hasProc,
        cpuSeconds: timeoutSeconds,
        skillsFolder,
        signal,
      });
      return `Exit code ${outcome.exitCode}\n${outcome.output}`;
    },
  });
}

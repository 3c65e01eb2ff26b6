import type { Capability, CommandSandbox } from '@berth/runtime';
import { PROGRAMS } from '../plan/programs.ts';

/** Consequences of a missing program that builds can work around. */
const FALLBACKS: Readonly<Record<string, string>> = {
  pnpm: 'projects with a pnpm-lock.yaml fetch it with npx for each build',
  yarn: 'projects with a yarn.lock fetch it with npx for each build',
  bun: 'npm brings it into projects with a bun.lock',
  uv: 'Python projects are installed with venv and pip',
};

/** Reports which programs builds find on this machine, for `berth doctor`. */
export async function describeCapabilities(sandbox: CommandSandbox): Promise<readonly Capability[]> {
  return Promise.all(
    PROGRAMS.map(async ({ name, title, remedy }): Promise<Capability> => {
      const path = await sandbox.findProgram(name);
      const base = { id: `build-${name}`, title: `Builds with ${title}` };
      if (path !== undefined) return { ...base, status: 'enforced', detail: `${title} is at ${path}.` };
      const fallback = FALLBACKS[name];
      if (fallback !== undefined) {
        return { ...base, status: 'partial', detail: `${title} is not installed; ${fallback}.`, remedy };
      }
      return {
        ...base,
        status: 'missing',
        detail: `${title} is not installed; projects that need it fail to build.`,
        remedy,
      };
    }),
  );
}

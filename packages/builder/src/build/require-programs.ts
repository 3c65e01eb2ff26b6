import { createError } from '@berth/contract';
import type { Plan } from '../plan/plan.ts';
import { type HasProgram, PROGRAMS } from '../plan/programs.ts';

/**
 * Checks that this machine has the plan's programs. @throws BerthError `build_failed` that names each missing program
 * and how to install it.
 */
export async function requirePrograms(plan: Plan, hasProgram: HasProgram): Promise<void> {
  const missing: string[] = [];
  for (const name of plan.programs) {
    if (await hasProgram(name)) continue;
    const info = PROGRAMS.find((program) => program.name === name);
    missing.push(`${info?.title ?? name} is not installed on this server. ${info?.remedy ?? ''}`.trim());
  }
  if (missing.length > 0) throw createError('build_failed', missing.join(' '));
}

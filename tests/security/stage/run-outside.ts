import type { OutsideAttempt } from '../outside/attempt.ts';
import { OUTSIDE_ATTEMPTS } from '../outside/attempts.ts';
import type { ConfigurationName } from './configurations.ts';
import type { Stage } from './open-stage.ts';
import type { Result } from './run-inside.ts';

/** The attempts over the API that make sense in a configuration. */
export function outsideAttemptsOf(name: ConfigurationName): readonly OutsideAttempt[] {
  return OUTSIDE_ATTEMPTS.filter((one) => one.in?.includes(name) ?? true);
}

/** Makes them one after another, and each control once. */
export async function runOutside(stage: Stage): Promise<Result[]> {
  const controls = new Map<OutsideAttempt['control'], string | undefined>();
  const results: Result[] = [];
  for (const { id, tries, act, control } of outsideAttemptsOf(stage.configuration.name)) {
    const evidence = await act(stage);
    if (!controls.has(control)) controls.set(control, await toProblem(() => control(stage)));
    const brokenControl = controls.get(control);
    results.push({ id, tries, answer: '', ...(evidence && { evidence }), ...(brokenControl && { brokenControl }) });
  }
  return results;
}

async function toProblem(control: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return (await control()) === undefined ? 'it did not get through' : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

import type { PushCommand, PushResult } from '@berth/git';
import type { PushedBranch } from './pushed-branches.ts';

/** The command of a push that deploys, and the results of the others. */
export interface JudgedPush {
  /** The command to deploy, if there is one. */
  readonly command: (PushCommand & { readonly after: string }) | undefined;
  /** The results of the others. */
  readonly results: readonly PushResult[];
}

/** Chooses the command of a push that deploys, and says why the others are refused. */
export function judgePush(
  { commands, isShallow }: { readonly commands: readonly PushCommand[]; readonly isShallow: boolean },
  branch: PushedBranch,
  name: string,
): JudgedPush {
  const results: PushResult[] = [];
  let command: JudgedPush['command'];
  for (const each of commands) {
    const { ref, before, after } = each;
    const refuse = (problem: string) => void results.push({ ref, problem });
    if (!ref.startsWith('refs/heads/')) refuse(`only the branch ${branch.name} is stored here`);
    else if (ref !== `refs/heads/${branch.name}`) {
      const pushed = ref.slice('refs/heads/'.length);
      refuse(`${branch.name} deploys; for ${pushed}, run: berth git setup ${name} --branch ${pushed}`);
    } else if (after === undefined)
      refuse(`the branch can't be deleted; to delete the deployment, run: berth rm ${name}`);
    else if (isShallow) refuse('the local clone is shallow; run: git fetch --unshallow');
    else if (before !== branch.commit) refuse('the branch has changed since; fetch, then push again');
    else if (after === branch.commit) results.push({ ref, problem: undefined });
    else command = { ...each, after };
  }
  return { command, results };
}

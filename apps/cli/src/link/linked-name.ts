import type { Context } from '../command/context.ts';
import { UsageError } from '../errors/usage-error.ts';

/** The word of a command that takes a deployment, or the one that its folder is linked to. */
export const LINKED_WORD = { '[name]': 'Name of the deployment; that of berth.json by default' } as const;

/** Returns the name in the working folder's `berth.json`, if it has one. @throws UsageError for an invalid file */
export async function findLinkedName({ workingFolder }: Pick<Context, 'workingFolder'>): Promise<string | undefined> {
  // Loaded on demand: the contract's schemas take longer to load than most commands take to run.
  const { readProjectFile } = await import('../deploy/read-project-file.ts');
  return (await readProjectFile(workingFolder)).name;
}

/** Returns the typed name, or the one that the folder is linked to. @throws UsageError without both */
export async function requireName(typed: string | undefined, context: Pick<Context, 'workingFolder'>): Promise<string> {
  const name = typed ?? (await findLinkedName(context));
  if (name !== undefined) return name;
  throw new UsageError(
    'Give the name of a deployment, or run `berth link NAME` in the folder of its project to use that one by default.',
  );
}

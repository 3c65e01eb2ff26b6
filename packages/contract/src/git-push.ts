import { z } from '@hono/zod-openapi';

/** The branch that deploys when none was set. */
export const DEFAULT_PUSH_BRANCH = 'main';

/**
 * The name of a branch. Narrower than Git's own rule, so that no name is an option of a command or a part of a URL.
 * Source: git-check-ref-format(1).
 */
const pushBranchSchema = z
  .string()
  .max(200)
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}._/+@#-]*$/u, 'must be the name of a branch, such as main')
  .refine((name) => !/\.\.|\/\/|@\{|\.lock$|[./]$/.test(name), 'must be the name of a branch, such as main');

/** Body of `PUT /v1/git/{name}`. */
export const setPushBranchRequestSchema = z
  .object({ branch: pushBranchSchema.openapi({ description: 'Pushes to it deploy; others are refused' }) })
  .openapi('SetPushBranch');

/** The repository of a deployment, to which `git push` deploys. */
export const pushRepositorySchema = z
  .object({
    name: z.string(),
    url: z.string().openapi({ description: 'Address for `git remote add`' }),
    branch: z.string(),
    commit: z
      .string()
      .nullable()
      .openapi({ description: 'Full id of the commit that was pushed last; null before the first push' }),
  })
  .openapi('PushRepository');

export type PushRepository = z.infer<typeof pushRepositorySchema>;

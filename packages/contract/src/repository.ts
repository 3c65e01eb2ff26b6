import { z } from '@hono/zod-openapi';
import { variableNameSchema } from './berth-json.ts';

/** The programs that host repositories. Forgejo has the API of Gitea. */
export const FORGES = ['github', 'gitlab', 'gitea', 'forgejo'] as const;

export type ForgeKind = (typeof FORGES)[number];

/** Limits of connected repositories. Source: docs/contract/control-plane.md §4, "Repositories". */
export const REPOSITORY_LIMITS = {
  /** Bytes of a request of a forge's webhook: 5 MiB. */
  hookBytes: 5_242_880,
  /** Events of a repository in a minute. */
  hooksPerMinute: 60,
  /** Open previews of a repository. */
  previews: 20,
  previewTtlSecondsMin: 3_600,
  previewTtlSecondsMax: 2_592_000,
  /** Without pushes, a preview is deleted after a week. */
  previewTtlSeconds: 604_800,
} as const;

const deploymentNameSchema = z.string().min(1).max(63);

/**
 * The name of a branch. Narrower than Git's own rule, so that no name is an option of a command or a part of a URL.
 * Source: git-check-ref-format(1).
 */
const branchSchema = z
  .string()
  .max(200)
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}._/+@#-]*$/u, 'must be the name of a branch, such as main')
  .refine((name) => !/\.\.|\/\/|@\{|\.lock$|[./]$/.test(name), 'must be the name of a branch, such as main');

const folderSchema = z
  .string()
  .max(400)
  .regex(/^[\p{L}\p{N}._@+ -]+(\/[\p{L}\p{N}._@+ -]+)*$/u, 'must be a folder of the repository, such as services/api')
  .refine((path) => !path.split('/').some((part) => part === '..' || part === '.' || part.startsWith('-')), {
    message: 'must be a folder of the repository, such as services/api',
  });

/** Body of `POST /v1/repositories`. */
export const connectRepositoryRequestSchema = z
  .object({
    deployment_name: deploymentNameSchema,
    url: z
      .url({ protocol: /^https?$/ })
      .max(1_000)
      .openapi({
        description: 'The https URL of the repository, without credentials',
        example: 'https://github.com/me/app',
      }),
    branch: branchSchema.default('main').openapi({ description: 'Pushes to it deploy' }),
    folder: folderSchema
      .nullish()
      .openapi({ description: 'The folder of the project; the whole repository by default' }),
    forge: z.enum(FORGES).nullish().openapi({ description: 'Known for github.com, gitlab.com and codeberg.org' }),
    token: z
      .string()
      .trim()
      .min(1)
      .max(1_000)
      .regex(/^[\x21-\x7e]+$/, 'must be a token of the forge')
      .nullish()
      .openapi({
        description: 'An access token of the forge. Creates the webhook, fetches private code and reports results',
      }),
    deploy_key: z.boolean().default(false).openapi({
      description: 'Fetch the code by SSH with a key of its own, which can read this repository only',
    }),
    ssh_url: z.url({ protocol: /^ssh$/ }).max(1_000).nullish().openapi({
      description: 'Where the code is fetched by SSH; git@ the host of `url`, port 22, by default',
      example: 'ssh://git@git.example.com:2222/me/app.git',
    }),
    previews: z
      .boolean()
      .default(false)
      .openapi({ description: 'Deploy each pull request under an address of its own' }),
    preview_ttl_seconds: z
      .int()
      .min(REPOSITORY_LIMITS.previewTtlSecondsMin)
      .max(REPOSITORY_LIMITS.previewTtlSecondsMax)
      .default(REPOSITORY_LIMITS.previewTtlSeconds)
      .openapi({ description: 'A preview without pushes is deleted after this time' }),
  })
  .openapi('ConnectRepository');

export type ConnectRepositoryRequest = z.infer<typeof connectRepositoryRequestSchema>;

/** Query of the routes that name the deployment of a repository. */
export const repositoryQuerySchema = z.object({ deployment_name: deploymentNameSchema });

/** Body of `POST /v1/repositories/preview-env`. */
export const setPreviewVariablesRequestSchema = z
  .object({
    deployment_name: deploymentNameSchema,
    set: z.record(variableNameSchema, z.string()).default({}),
    unset: z.array(variableNameSchema).default([]),
  })
  .openapi('SetPreviewVariables');

const errorSchema = z.string().nullable().openapi({ description: 'Why it failed; null otherwise' });

/** The deploy of a commit that was pushed, or that a pull request asks to merge. */
export const repositoryRunSchema = z
  .object({
    id: z.string(),
    commit: z.string().openapi({ description: 'The full hash of the commit' }),
    title: z.string().openapi({ description: 'The first line of its message, or the title of the pull request' }),
    pull_request: z.int().nullable(),
    status: z.enum(['queued', 'deploying', 'succeeded', 'failed', 'superseded', 'skipped']).openapi({
      description:
        '`skipped`: the pull request changes nothing below the folder; `superseded`: a newer commit came before the deploy began, or the pull request was closed',
    }),
    deploy_id: z.string().nullable(),
    error: errorSchema,
    report_error: z
      .string()
      .nullable()
      .openapi({ description: 'Why the forge did not accept the commit status; null otherwise' }),
    time: z.iso.datetime(),
  })
  .openapi('RepositoryRun');

export type RepositoryRun = z.infer<typeof repositoryRunSchema>;

/** A preview of a pull request. */
export const repositoryPreviewSchema = z
  .object({
    pull_request: z.int(),
    deployment_name: z.string(),
    url: z.string(),
    expires_at: z.iso.datetime(),
  })
  .openapi('RepositoryPreview');

export type RepositoryPreview = z.infer<typeof repositoryPreviewSchema>;

/** A repository that a deployment is connected to. */
export const repositorySchema = z
  .object({
    id: z.string(),
    deployment_name: z.string(),
    forge: z.enum(FORGES),
    url: z.string(),
    branch: z.string(),
    folder: z.string().nullable(),
    has_token: z.boolean(),
    deploy_key: z.string().nullable().openapi({ description: 'Public half of the deploy key; null without one' }),
    ssh_url: z.string().nullable(),
    previews_enabled: z.boolean(),
    preview_ttl_seconds: z.int(),
    preview_variables: z.array(z.string()).openapi({ description: 'Keys of the variables that only previews get' }),
    hook_url: z.string().openapi({ description: 'The payload URL of the webhook' }),
    runs: z.array(repositoryRunSchema).openapi({ description: 'The newest 20, newest first' }),
    previews: z.array(repositoryPreviewSchema),
    created_at: z.iso.datetime(),
  })
  .openapi('Repository');

export type Repository = z.infer<typeof repositorySchema>;

/** Response of `POST /v1/repositories`. */
export const connectedRepositorySchema = repositorySchema
  .extend({
    hook_secret: z.string().nullable().openapi({
      description: 'The secret of the webhook, returned only here; null when Berth created the webhook with the token',
    }),
    must_add_deploy_key: z.boolean().openapi({
      description:
        'True when the deploy key must be added in the settings of the repository, because the token may not',
    }),
  })
  .openapi('ConnectedRepository');

export type ConnectedRepository = z.infer<typeof connectedRepositorySchema>;

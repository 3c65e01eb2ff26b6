import { deployPageSchema, listDeploysQuerySchema, settingsShape } from '@berth/contract';
import { z } from 'zod';
import { MCP_LIMITS } from '../tool/limits.ts';
import { defineTool } from '../tool/tool.ts';
import { contentFields } from './content.ts';
import { deployArchive } from './deploy-archive.ts';
import { deployResultSchema, followDeploy } from './follow-deploy.ts';
import { packFiles } from './pack-files.ts';
import { serviceName } from './service-name.ts';

const waitSeconds = z
  .int()
  .min(1)
  .max(MCP_LIMITS.waitSeconds)
  .describe('Seconds to wait for the end. The deploy continues afterwards; get_deploy returns its state.');

const settings = z
  .strictObject(settingsShape)
  .optional()
  .describe('Settings that override berth.json. A setting in neither stays as it is.');

const RESULT =
  'Returns the address, or the error with the last lines of output. An existing service keeps serving until the new revision is ready.';

/** `deploy_files`. */
export const deployFiles = defineTool('deploy_files', {
  title: 'Deploy files',
  description:
    `Builds and deploys a project from the given files, as a new service or as the next revision of an existing one. Send all files of ` +
    `the project: files of earlier deploys are not kept. Don't include dependencies or secrets. ${RESULT}`,
  effect: 'destructive',
  input: z.object({
    service: serviceName,
    files: z
      .array(z.object({ path: z.string().describe('Relative path, e.g. "src/server.js"'), ...contentFields }))
      .min(1)
      .max(MCP_LIMITS.files),
    settings,
    wait_seconds: waitSeconds.default(300),
  }),
  output: deployResultSchema,
  async run({ service: name, files, settings: given, wait_seconds }, context) {
    const { archive, berthJson } = await packFiles(files);
    return deployArchive({ name, archive, berthJson, given, waitSeconds: wait_seconds }, context);
  },
});

/** `deploy_folder`. */
export const deployFolder = defineTool('deploy_folder', {
  title: 'Deploy a folder',
  description:
    'Builds and deploys a folder of this machine: the folder in which `berth mcp` was started, or one below it. Leaves out node_modules, ' +
    `.git and files matched by .gitignore and .berthignore. ${RESULT}`,
  effect: 'destructive',
  isLocal: true,
  input: z.object({
    folder: z
      .string()
      .max(4_096)
      .default('.')
      .describe('Path, relative to the folder in which `berth mcp` was started'),
    service: serviceName
      .optional()
      .describe('Name of the service; from berth.json, package.json or the folder by default'),
    settings,
    wait_seconds: waitSeconds.default(300),
  }),
  output: deployResultSchema,
  async run({ folder, service, settings: given, wait_seconds }, context) {
    if (!context.packFolder) throw new Error('deploy_folder was registered without a folder');
    await using packed = await context.packFolder(folder, context.signal);
    const { archive, berthJson, name } = packed;
    return await deployArchive(
      { name: service ?? name, archive, berthJson, given, waitSeconds: wait_seconds },
      context,
    );
  },
});

/** `rollback_service`. */
export const rollbackService = defineTool('rollback_service', {
  title: 'Roll back a service',
  description:
    'Makes an earlier revision of a service live again, with its settings and variables, without a build. get_service lists revisions.',
  effect: 'destructive',
  input: z.object({
    service: serviceName,
    revision: z.string().optional().describe('The previous revision by default'),
    wait_seconds: waitSeconds.default(120),
  }),
  output: deployResultSchema,
  run: ({ service, revision, wait_seconds }, context) =>
    followDeploy(
      (signal) => context.client.rollback(service, { signal, ...(revision !== undefined && { revision }) }),
      {
        waitSeconds: wait_seconds,
        context,
      },
    ),
});

/** `get_deploy`. */
export const getDeploy = defineTool('get_deploy', {
  title: 'Get a deploy',
  description:
    'Returns the state of a deploy with the last lines of its output, and waits for its end if that is wanted.',
  effect: 'read',
  input: z.object({ deploy_id: z.string().max(64), wait_seconds: waitSeconds.default(2) }),
  output: deployResultSchema,
  run: ({ deploy_id, wait_seconds }, context) =>
    followDeploy((signal) => context.client.followDeploy(deploy_id, { signal }), {
      waitSeconds: wait_seconds,
      context,
      deployId: deploy_id,
    }),
});

const { limit, page_token, state } = listDeploysQuerySchema.shape;

/** `list_deploys`. */
export const listDeploys = defineTool('list_deploys', {
  title: 'List deploys',
  description: 'Lists deploys, newest first, with their status, reason and the person or key that started them.',
  effect: 'read',
  input: z.object({ service: serviceName.optional(), state, limit, page_token }),
  output: deployPageSchema,
  run: async ({ service: name, ...query }, { client, signal }) => ({
    fields: await client.get('/v1/deploys', {
      params: { query: { ...query, ...(name !== undefined && { name }) } },
      signal,
    }),
  }),
});

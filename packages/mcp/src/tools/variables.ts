import { environmentKeySchema, setEnvironmentResponseSchema, VARIABLE_NAME_PATTERN } from '@berth/contract';
import { z } from 'zod';
import { defineTool, type ToolContext } from '../tool/tool.ts';
import { serviceName } from './service-name.ts';

const key = z.string().regex(VARIABLE_NAME_PATTERN, 'must be a name of letters, digits and _').max(256);

/** `list_variables`. */
export const listVariables = defineTool('list_variables', {
  title: 'List environment variables',
  description: 'Lists the environment variables of a service. The values of secrets can never be read.',
  effect: 'read',
  input: z.object({ service: serviceName }),
  output: z.object({ variables: z.array(environmentKeySchema) }),
  run: async ({ service: name }, { client, signal }) => ({
    fields: { variables: await client.get('/v1/env/list', { params: { query: { name } }, signal }) },
  }),
});

/** `set_variables`. */
export const setVariables = defineTool('set_variables', {
  title: 'Set environment variables',
  description:
    'Sets environment variables of a service and starts a new revision with them. Values are write-only. For secrets that the person ' +
    'has not given you, ask them to run `berth env set SERVICE NAME` instead of asking for the value.',
  effect: 'destructive',
  isIdempotent: true,
  input: z.object({
    service: serviceName,
    set: z.record(key, z.string()).describe('Values by name. Existing values are replaced.'),
  }),
  output: setEnvironmentResponseSchema,
  run: ({ service, set }, context) => change(service, { set }, context),
});

/** `unset_variables`. */
export const unsetVariables = defineTool('unset_variables', {
  title: 'Remove environment variables',
  description: "Removes environment variables of a service and starts a new revision. The values can't be recovered.",
  effect: 'destructive',
  isIdempotent: true,
  input: z.object({ service: serviceName, names: z.array(key).min(1).max(1_000) }),
  output: setEnvironmentResponseSchema,
  run: ({ service, names: unset }, context) => change(service, { unset }, context),
});

async function change(
  service: string,
  changes: { readonly set?: Record<string, string>; readonly unset?: string[] },
  { client, signal }: ToolContext,
) {
  const fields = await client.post('/v1/env/set', { body: { deployment_name: service, ...changes }, signal });
  const failure =
    fields.status === 'failed' ? `${fields.detail}\nRead the logs of ${service} for the reason.` : undefined;
  return { fields, failure };
}

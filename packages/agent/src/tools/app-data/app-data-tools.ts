import { defineTool, type Tool, type ToolContext, ToolError } from '@berth/agent-core';
import type { AppDataStore, AppPlace } from '@berth/agent-store';
import { AGENT_LIMITS, appKeyProblem, appSlugSchema } from '@berth/contract/agent';
import { z } from 'zod';

// Plain types: not every model's server takes patterns and references in a schema.
const place = {
  app: z.string().describe('Name of the app'),
  private: z.boolean().default(false).describe("True: the person's own rows, which others of the workspace don't see"),
};
const key = z.string().describe('e.g. votes/2026');
const anyJson = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .describe('Any JSON');
const MAX_ROWS = 100;

/**
 * Tools over the rows of apps: `list_app_data`, `get_app_data` (read), `put_app_data` (write), `delete_app_data`
 * (destructive).
 */
export function appDataTools(): readonly Tool[] {
  return [listAppData, getAppData, putAppData, deleteAppData];
}

const listAppData = defineTool({
  name: 'list_app_data',
  description: `Lists the rows of an app in the order of their keys, at most ${MAX_ROWS}, from a key on.`,
  risk: 'read',
  input: z.object({
    ...place,
    prefix: z.string().default(''),
    after: z.string().optional().describe('The last key seen'),
  }),
  label: ({ app }) => `List the data of ${app}`,
  async run({ app, private: isPrivate, prefix, after }, context) {
    const at = placeOf(app, isPrivate, context);
    const rows = await storeOf(context).list(at, {
      prefix,
      limit: MAX_ROWS,
      ...(after !== undefined && { after: { key: after, who: at.who } }),
    });
    return rows.map((row) => ({ key: row.key, value: JSON.parse(row.value), version: row.version }));
  },
});

const getAppData = defineTool({
  name: 'get_app_data',
  description: 'Reads a row of an app: its value and its version.',
  risk: 'read',
  input: z.object({ ...place, key }),
  label: ({ app, key: name }) => `Read ${name} of ${app}`,
  async run({ app, private: isPrivate, key: name }, context) {
    const row = await storeOf(context).find(placeOf(app, isPrivate, context), checkKey(name));
    if (!row) throw new ToolError(`${app} has no row ${name}.`);
    return { value: JSON.parse(row.value), version: row.version };
  },
});

const putAppData = defineTool({
  name: 'put_app_data',
  description:
    'Writes a row of an app. With version only if the row still has it (0: if there is none), so that concurrent changes are not lost.',
  risk: 'write',
  input: z.object({ ...place, key, value: anyJson, version: z.int().min(0).optional() }),
  label: ({ app, key: name }) => `Write ${name} of ${app}`,
  async run({ app, private: isPrivate, key: name, value, version }, context) {
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > AGENT_LIMITS.appRowBytes) {
      throw new ToolError(`A row has at most ${AGENT_LIMITS.appRowBytes} bytes.`);
    }
    const row = await storeOf(context).put(placeOf(app, isPrivate, context), checkKey(name), text, version);
    if (!row) throw new ToolError('The row has changed. Read it again.');
    return { version: row.version };
  },
});

const deleteAppData = defineTool({
  name: 'delete_app_data',
  description:
    "Removes a row of an app, or with a slash at the end of the key all rows below it. This can't be undone.",
  risk: 'destructive',
  input: z.object({ ...place, key }),
  label: ({ app, key: name }) => `Delete ${name} of ${app}`,
  async run({ app, private: isPrivate, key: name }, context) {
    const removed = await storeOf(context).remove(placeOf(app, isPrivate, context), checkKey(name, true));
    return { removed };
  },
});

function storeOf({ appData }: ToolContext): AppDataStore {
  if (appData) return appData;
  throw new ToolError('App data is not available: no one is signed in.');
}

function placeOf(slug: string, isPrivate: boolean, { workspace, user }: ToolContext): AppPlace {
  if (!appSlugSchema.safeParse(slug).success) throw new ToolError(`"${slug}" is not an app name.`);
  return { owner: workspace.key, slug, who: isPrivate ? (user?.id ?? '') : '' };
}

function checkKey(text: string, isSubtree = false): string {
  const problem = appKeyProblem(text, isSubtree);
  if (problem !== undefined) throw new ToolError(`"${text}" is no key: ${problem}.`);
  return text;
}

import { defineTool } from '@berth/agent-core';
import { z } from 'zod';
import { filesOf } from './workspace-text.ts';

const MAX_ENTRIES = 500;

export const listFolder = defineTool({
  name: 'list_files',
  description: 'Lists a folder of the workspace: folders end in a slash, files have their size in bytes.',
  risk: 'read',
  input: z.object({
    path: z.string().default('').describe('Empty for the whole workspace'),
    recursive: z.boolean().default(false),
  }),
  label: ({ path }) => `List ${path === '' ? 'the workspace' : path}`,
  async run({ path, recursive }, context) {
    const entries = await filesOf(context).list(path, { recursive });
    if (entries.length === 0) return '(empty, or not there)';
    const lines = entries
      .slice(0, MAX_ENTRIES)
      .map((entry) => (entry.type === 'directory' ? `${entry.path}/` : `${entry.path}  ${entry.size}`));
    if (entries.length > MAX_ENTRIES) lines.push(`[… and ${entries.length - MAX_ENTRIES} more]`);
    return lines.join('\n');
  },
});

import { defineTool } from '@berth/agent-core';
import { z } from 'zod';
import { filesOf } from './workspace-text.ts';

export const deleteFile = defineTool({
  name: 'delete_file',
  description: 'Moves a file or folder of the workspace into the trash, from where the person can take it back.',
  risk: 'destructive',
  input: z.object({ path: z.string() }),
  label: ({ path }) => `Delete ${path}`,
  async run({ path }, context) {
    await filesOf(context).remove(path);
    return `${path} is in the trash.`;
  },
});

import { defineTool } from '@berth/agent-core';
import { z } from 'zod';
import { filesOf, MAX_TEXT_BYTES } from './workspace-text.ts';

export const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a text file of the workspace, a new one or over an old one. Folders are made as needed.',
  risk: 'write',
  input: z.object({
    path: z.string().describe('From the workspace on, e.g. notes/today.md'),
    content: z.string().max(MAX_TEXT_BYTES),
  }),
  label: ({ path }) => `Write ${path}`,
  async run({ path, content }, context) {
    const bytes = Buffer.from(content);
    await filesOf(context).write(path, bytes);
    return `Wrote ${bytes.length} bytes to ${path}.`;
  },
});

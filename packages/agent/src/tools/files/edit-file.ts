import { defineTool, ToolError } from '@berth/agent-core';
import { z } from 'zod';
import { filesOf, readText } from './workspace-text.ts';

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces a text in a file of the workspace by another. The old text must be there exactly once, as it stands, unless all is true.',
  risk: 'write',
  input: z.object({
    path: z.string(),
    old_text: z.string().min(1),
    new_text: z.string(),
    all: z.boolean().default(false),
  }),
  label: ({ path }) => `Edit ${path}`,
  async run({ path, old_text, new_text, all }, context) {
    const files = filesOf(context);
    const pieces = (await readText(files, path)).split(old_text);
    const count = pieces.length - 1;
    if (count === 0) throw new ToolError(`The old text is not in ${path}.`);
    if (count > 1 && !all)
      throw new ToolError(`The old text is ${count} times in ${path}: give more of it, or all: true.`);
    await files.write(path, Buffer.from(pieces.join(new_text)));
    return `Replaced ${count} ${count === 1 ? 'place' : 'places'} in ${path}.`;
  },
});

import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth volume mv`. */
export const volumeMv = defineCommand({
  name: 'mv',
  summary: 'Move or rename an object or a folder',
  words: {
    '<volume>': 'Name of the volume',
    '<from>': 'Path of the object; a folder ends in /',
    '<to>': 'New path; a folder if it ends in /',
  },
  options: { '--overwrite': 'Replace an existing object' },
  examples: [
    ['berth volume mv records draft.txt final.txt', 'one object'],
    ['berth volume mv records draft.txt done/', 'into a folder, keeping its name'],
    ['berth volume mv records 2025/ archive/2025/', 'a folder and its contents'],
  ],
  async run({ words: [volume = '', from = '', target = ''], options }, { connect, output, signal }) {
    const isInto = target.endsWith('/') && !from.endsWith('/');
    const to = isInto ? target + (from.split('/').at(-1) ?? '') : target;
    const request = { volume, from, to, overwrite: options.overwrite === true };
    const { detail } = await (await connect()).moveObject(request, { signal });
    output.json({ ...request, detail });
    output.print(cleanText(detail));
  },
});

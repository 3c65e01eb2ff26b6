import { defineCommand } from '../../command/command.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';
import { formatAge } from '../../output/format-age.ts';

/** `berth env ls`. */
export const envLs = defineCommand({
  name: 'ls',
  summary: 'List environment variables; values of secrets are never shown',
  words: LINKED_WORD,
  examples: [['berth env ls my-app', 'names, values of plain variables, and when they were set']],
  async run({ words: [word] }, context) {
    const { connect, output, clock } = context;
    const name = await requireName(word, context);
    const keys = await (await connect()).get('/v1/env/list', { params: { query: { name } } });
    output.json(keys);
    if (keys.length === 0) return output.say(`${name} has no environment variables of its own.`);
    output.table(keys, [
      { heading: 'NAME', text: (row) => row.key },
      { heading: 'VALUE', text: (row) => row.value ?? '(secret)' },
      { heading: 'SET', text: (row) => formatAge(row.updated_at, clock.nowMs()) },
    ]);
  },
});

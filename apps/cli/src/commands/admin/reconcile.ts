import { defineCommand } from '../../command/command.ts';

/** `berth admin reconcile`. */
export const adminReconcile = defineCommand({
  name: 'reconcile',
  summary: 'Compare what was metered with the request log',
  description:
    'Adds up the requests and bytes of all accounts a second time, from the request log, and shows where they differ from what was metered by more than 1 %. Ends with code 1 when something does. Days whose log was cut by its size or age differ.',
  options: { '--from <day>': 'First UTC day, such as 2026-01-31; yesterday by default' },
  examples: [
    ['berth admin reconcile', 'yesterday and today'],
    ['berth admin reconcile --from 2026-01-01 --json', 'since then, for programs'],
  ],
  async run({ options }, { connect, output }) {
    const { checked, off } = await (await connect()).get('/v1/admin/reconcile', {
      params: { query: { from: options.from } },
    });
    output.json({ checked, off });
    if (off.length > 0) {
      const columns = (['account', 'day', 'resource', 'sku', 'metered', 'logged'] as const).map((name) => ({
        heading: name,
        text: (row: (typeof off)[number]) => String(row[name]),
      }));
      output.table(off, columns);
    }
    output.say(`${checked} compared, ${off.length} differ by more than 1 %.`);
    return off.length > 0 ? 1 : 0;
  },
});

import { defineCommand } from '../../command/command.ts';

/** `berth admin reconcile`. */
export const adminReconcile = defineCommand({
  name: 'reconcile',
  summary: 'Compare metered usage with the request log',
  description:
    'Sums the requests and bytes of all accounts from the request log and shows differences of more than 1 % from metered usage. Exits with code 1 if there are any. Days whose log was truncated by retention differ.',
  options: { '--from <day>': 'First UTC day, such as 2026-01-31; yesterday by default' },
  examples: [
    ['berth admin reconcile', 'yesterday and today'],
    ['berth admin reconcile --from 2026-01-01 --json', 'from that day on, as JSON'],
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

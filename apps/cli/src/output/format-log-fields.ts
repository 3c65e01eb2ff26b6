import type { LogFields } from '@berth/contract';
import { formatTable } from './format-table.ts';
import type { Style } from './style.ts';

/** Formats a line for each field: how many entries have it, and its most frequent values in filter syntax. */
export function formatLogFields({ fields }: LogFields, style: Style): string {
  return formatTable(
    fields,
    [
      { heading: 'FIELD', text: ({ name }) => name },
      { heading: 'ENTRIES', text: ({ entries }) => String(entries) },
      {
        heading: 'VALUES',
        text: ({ values, has_more }) =>
          [
            ...values.map(({ value, entries }) => `${JSON.stringify(value)} (${entries})`),
            ...(has_more ? ['…'] : []),
          ].join(', '),
      },
    ],
    style,
  );
}

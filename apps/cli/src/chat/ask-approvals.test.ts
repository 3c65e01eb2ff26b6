import { expect, it } from 'vitest';
import { toConfirmation } from './ask-approvals.ts';

it('shows what is asked for as it is: on one line, with what nobody sees, of which tool, and how much is left out', () => {
  const asked = toConfirmation({
    key: 'k',
    tool: 'notes__wipe',
    connector: 'notes',
    label: 'Wipe\n\u202e?gnihton\u001b[2J',
    args: { what: `\u200b${'a'.repeat(2_000)}` },
  });
  expect(asked).toMatchObject({ key: 'k', label: 'Wipe \\u{202e}?gnihton', tool: 'notes__wipe of notes' });
  expect(asked.args).toMatch(/^\{"what":"\\u\{200b\}a+… and 1012 characters more$/);
  expect(toConfirmation({ key: 'k', tool: 'wipe' })).toEqual({ key: 'k', label: 'wipe', args: '{}', tool: 'wipe' });
});

import { expect, test } from 'vitest';
import { shownHeaders } from './shown-headers.ts';

const disposition = (type: string | undefined, said?: string) =>
  shownHeaders({ 'content-type': type, 'content-disposition': said }, (text) => text).get('content-disposition');

test('what browsers run, or guess at, is an attachment', () => {
  const active = ['text/html', 'TEXT/HTML; charset=x', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'x/x+xml'];
  for (const type of [...active, 'text/javascript', 'multipart/x-mixed-replace', '', undefined]) {
    expect([type, disposition(type)]).toEqual([type, 'attachment']);
  }
  expect(disposition('text/html', 'inline; filename="a.html"')).toBe('attachment; filename="a.html"');
  for (const type of ['application/json', 'image/png', 'application/pdf', 'text/plain']) {
    expect([type, disposition(type), disposition(type, 'inline')]).toEqual([type, null, 'inline']);
  }
});

test('values that no header can hold are made ones that it can, without the secret', () => {
  const scrub = (text: string) => text.replaceAll('secret', '[hidden]');
  const headers = shownHeaders({ 'x-a': 'caf\u00e9 \u{1f4a9} secret', 'x-b': ['1', '2'] as unknown as string }, scrub);
  expect([headers.get('x-a'), headers.get('x-b')]).toEqual(['caf\u00e9 ?? [hidden]', '1, 2']);
});

import { expect, it } from 'vitest';
import { previewOf } from './preview-of.ts';

it.each([
  ['a.png', 'image', 10, { kind: 'image' }],
  ['a.pdf', 'pdf', 10, { kind: 'pdf' }],
  ['a.pdf', 'pdf', 1024 ** 3, { kind: 'none' }],
  ['a.docx', 'document', 10, { kind: 'office' }],
  ['a.pptx', 'presentation', 10, { kind: 'slides' }],
  ['a.csv', 'spreadsheet', 10, { kind: 'csv' }],
  ['A.TSV', 'text', 10, { kind: 'csv' }],
  ['a.md', 'text', 10, { kind: 'markdown' }],
  ['a.ts', 'code', 10, { kind: 'code', language: 'typescript' }],
  ['a.html', 'code', 10, { kind: 'code', language: 'xml' }],
  ['LICENSE', 'text', 10, { kind: 'code', language: '' }],
  ['a.log', 'text', 5 * 1024 ** 2, { kind: 'none' }],
  ['a.zip', 'archive', 10, { kind: 'none' }],
] as const)('shows %s (%s, %i bytes) as %j', (name, kind, size, preview) => {
  expect(previewOf({ name, kind, size })).toEqual(preview);
});

import type { SharedMessage } from '@berth/contract/agent';
import { describe, expect, it } from 'vitest';
import { namedFiles, rewriteFiles } from './rewrite-files.ts';

const message: SharedMessage = {
  role: 'assistant',
  content: [
    {
      type: 'text',
      text: 'See ![a](/files/a.png), [the report](<my report.pdf>) and [home](https://example.com/files/x)',
    },
    { type: 'image', image: 'attachments/abc-photo.jpg' },
    { type: 'file', file: 'notes.txt' },
  ],
  parts: [
    { type: 'text', text: 'and [again](/files/a%20b.csv?download=1)' },
    { type: 'image', src: 'charts/c.png', alt: 'c' },
    { type: 'image', src: 'https://example.com/d.png' },
    { type: 'image', src: 'data:image/png;base64,AAAA' },
    { type: 'image', src: '/public/logo.png' },
    { type: 'code', code: '![not](/files/secret.txt)' },
  ],
  attachments: [{ name: 'photo.jpg', path: 'attachments/abc-photo.jpg', url: '/files/attachments/abc-photo.jpg' }],
};

describe('namedFiles', () => {
  it('finds the files that messages name, and nothing that lies elsewhere', () => {
    // For an assistant message only the parts count: code in its flattened text references nothing.
    expect(namedFiles([message])).toEqual(['attachments/abc-photo.jpg', 'a b.csv', 'charts/c.png']);
    expect(namedFiles([{ role: 'user', content: message.content }])).toEqual([
      'a.png',
      'my report.pdf',
      'attachments/abc-photo.jpg',
      'notes.txt',
    ]);
  });
});

describe('rewriteFiles', () => {
  it('writes each of them anew and leaves the rest', () => {
    const written = rewriteFiles(message, {
      attachment: (path) => ({ path, url: `/s/${path}` }),
      input: (path) => `i:${path}`,
      link: (path) => `/s/${encodeURIComponent(path)}`,
    });
    expect(written.content).toEqual([
      {
        type: 'text',
        text: 'See ![a](/s/a.png), [the report](/s/my%20report.pdf) and [home](https://example.com/files/x)',
      },
      { type: 'image', image: 'i:attachments/abc-photo.jpg' },
      { type: 'file', file: 'i:notes.txt' },
    ]);
    expect(written.parts).toEqual([
      { type: 'text', text: 'and [again](/s/a%20b.csv)' },
      { type: 'image', src: '/s/charts%2Fc.png', alt: 'c' },
      ...(message.parts ?? []).slice(2),
    ]);
    expect(written.attachments).toEqual([
      { name: 'photo.jpg', path: 'attachments/abc-photo.jpg', url: '/s/attachments/abc-photo.jpg' },
    ]);
  });
});

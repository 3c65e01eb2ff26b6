import { describe, expect, it } from 'vitest';
import { fileNameOf, findArtifact, findFileArtifact } from './artifact.ts';

const PAD = 'x'.repeat(200);
const HTML = `<!DOCTYPE html><html><head><title>Tide &amp;\n table</title></head><body>${PAD}</body></html>`;

describe('a code block is an artifact', () => {
  it('when it is a whole document, named by its title or heading', () => {
    expect(findArtifact('html', HTML)).toMatchObject({ kind: 'html', key: 'html:Tide & table', title: 'Tide & table' });
    expect(findArtifact('HTML', `<html><h1>Tides</h1>${PAD}`)).toMatchObject({ title: 'Tides' });
    expect(findArtifact('html', `\n<html>${PAD}`)).toMatchObject({ title: '' });
  });

  it.each([
    ['export default function TideTable() {', 'Tide table'],
    ['export default class TideTable extends X {', 'Tide table'],
    ['const App = 1;\nexport default App;', 'App'],
    ['export default () => {', ''],
  ])('when it exports a component: %s', (line, title) => {
    expect(findArtifact('tsx', `${line}\n${PAD}`)).toMatchObject({ kind: 'react', title });
  });

  it.each([
    ['a piece of a document', 'html', `<p>${PAD}</p>`],
    ['an example of a document', 'html', '<!doctype html><p>Hello</p>'],
    ['code without a default export', 'jsx', `const a = <p/>;${PAD}`],
    ['another language', 'ts', `export default function a() {}${PAD}`],
    ['no language', undefined, HTML],
  ])('not when it is %s', (_name, language, code) => {
    expect(findArtifact(language, code)).toBeUndefined();
  });

  // Fails when a growing document is shown as code first: the answer below would move when it becomes a card.
  it('as soon as its first characters say so', () => {
    expect(['', '<', '<!doctype htm'].map((code) => findArtifact('html', code, true))).toEqual(
      Array(3).fill('pending'),
    );
    expect(findArtifact('html', '<!doctype html>', true)).toMatchObject({ kind: 'html' });
    expect(findArtifact('html', '<p>\n', true)).toBeUndefined();
  });
});

describe('a file', () => {
  it('is one by its extension, and keeps its name', () => {
    expect(findFileArtifact('pages/tide.html', '')).toMatchObject({ key: 'file:pages/tide.html', title: 'tide.html' });
    expect(findFileArtifact('a.tsx', 'export default function TideTable() {')?.title).toBe('Tide table');
    expect(findFileArtifact('a.css', '')).toBeUndefined();
  });

  it('is downloaded under its own name, any other one under its title', () => {
    const names = [
      findFileArtifact('pages/tide.html', ''),
      findFileArtifact('tide.jsx', ''),
      findArtifact('html', HTML),
      findArtifact('jsx', `export default () => 1;${PAD}`),
      findArtifact('html', `<html><title>جدول المد</title>${PAD}`),
    ].map((artifact) => artifact && artifact !== 'pending' && fileNameOf(artifact));
    expect(names).toEqual(['tide.html', 'tide.jsx', 'tide-table.html', 'artifact.jsx', 'جدول-المد.html']);
  });
});

